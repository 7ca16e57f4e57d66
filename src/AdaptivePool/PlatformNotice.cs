namespace AdaptivePool;

/// <summary>What a process is told about a self-test that found something missing: one line, once, whoever listens first.</summary>
/// <param name="support">What works; asked for when there is a listener.</param>
internal sealed class PlatformNotice(Func<PlatformSupport> support)
{
    private Func<PlatformSupport>? _untold = support;

    /// <summary>Of this process.</summary>
    public static PlatformNotice Process { get; } = new(static () => PlatformSupport.Present);

    /// <summary>The message, for the first who asks; <see langword="null"/> for all others, and where nothing is missing.</summary>
    public string? Take() =>

        // Pairs with itself: of several that ask one gets it.
        Interlocked.Exchange(ref _untold, null)?.Invoke().Message;
}
