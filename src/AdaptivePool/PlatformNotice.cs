namespace AdaptivePool;

/// <summary>What a process is told about a self-test that found something missing: one line, once, whoever listens first.</summary>
/// <param name="missing">What is missing; asked for when there is a listener.</param>
internal sealed class PlatformNotice(Func<IReadOnlyList<string>> missing)
{
    private Func<IReadOnlyList<string>>? _untold = missing;

    /// <summary>Of this process.</summary>
    public static PlatformNotice Process { get; } = new(static () => PlatformSupport.Missing);

    /// <summary>The message, for the first who asks; <see langword="null"/> for all others, and where nothing is missing.</summary>
    public string? Take() =>

        // Pairs with itself: of several that ask one gets it.
        Interlocked.Exchange(ref _untold, null)?.Invoke() is { Count: > 0 } found
            ? $"The self-test found {string.Join(", ", found)}. The pool works without; 'Platforms' in its README says what that costs. "
                + "Nothing needs to be done"
            : null;
}
