using System.Runtime.InteropServices;

namespace AdaptivePool.Internal;

/// <summary>An int alone on its cache lines: 128 bytes, because adjacent lines are prefetched in pairs.</summary>
[StructLayout(LayoutKind.Explicit, Size = 128)]
internal struct PaddedInt
{
    [FieldOffset(64)]
    public int Value;
}
