using System.Runtime.InteropServices;

namespace AdaptivePool.Internal;

/// <summary>A long alone on its cache lines: 128 bytes, because adjacent lines are prefetched in pairs.</summary>
[StructLayout(LayoutKind.Explicit, Size = 128)]
internal struct PaddedLong
{
    [FieldOffset(64)]
    public long Value;
}
