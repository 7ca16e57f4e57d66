namespace AdaptivePool;

/// <summary>The notice of a process that the self-test found something missing: one line, passed once, to the first listener.</summary>
/// <param name="missing">Returns what is missing; called when there is a listener.</param>
internal sealed class PlatformNotice(Func<IReadOnlyList<string>> missing)
{
    private Func<IReadOnlyList<string>>? _untold = missing;

    /// <summary>The notice of this process.</summary>
    public static PlatformNotice Process { get; } = new(static () => PlatformSupport.Missing);

    /// <summary>Returns the message to the first caller; <see langword="null"/> to all others, and where nothing is missing.</summary>
    public string? Take() =>

        // Pairs with itself: one of several callers gets the message.
        Interlocked.Exchange(ref _untold, null)?.Invoke() is { Count: > 0 } found
            ? $"The self-test found {string.Join(", ", found)}. The pool works without; 'Platforms' in its README says what that costs. "
                + "Nothing needs to be done"
            : null;
}
