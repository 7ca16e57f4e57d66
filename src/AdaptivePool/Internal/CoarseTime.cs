namespace AdaptivePool.Internal;

/// <summary>
/// The system's tick count: monotonic, in steps of some milliseconds (Linux 1 to 10, Windows 10 to 16), a third of the price of an exact timestamp.
/// </summary>
internal sealed class CoarseTime : TimeProvider
{
    private const int TicksPerSecond = 1_000;

    /// <summary>The only instance that is needed.</summary>
    public static CoarseTime Instance { get; } = new();

    /// <inheritdoc/>
    public override long TimestampFrequency => TicksPerSecond;

    /// <inheritdoc/>
#pragma warning disable RS0030 // this is the TimeProvider that the ban asks for
    public override long GetTimestamp() => Environment.TickCount64;
#pragma warning restore RS0030
}
