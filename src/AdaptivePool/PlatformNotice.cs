namespace AdaptivePool;

/// <summary>What a process is told about a self-test that found something missing: one line, once, whoever listens first.</summary>
internal sealed class PlatformNotice
{
    private readonly Lazy<string?> _message;
    private int _isTaken;

    /// <param name="support">What works; asked for when there is a listener.</param>
    public PlatformNotice(Func<PlatformSupport> support) => _message = new(() => PlatformMessageRule.Of(support()));

    /// <summary>Of this process.</summary>
    public static PlatformNotice Process { get; } = new(static () => PlatformSupport.Present);

    /// <summary>The message, for the first who asks; <see langword="null"/> for all others, and where nothing is missing.</summary>
    public string? Take() =>

        // Pairs with itself: of several that ask one gets it.
        _message.Value is { } message && Interlocked.Exchange(ref _isTaken, 1) == 0 ? message : null;
}
