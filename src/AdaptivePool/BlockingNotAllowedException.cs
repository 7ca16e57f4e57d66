namespace AdaptivePool;

/// <summary>
/// Code that must not block was about to; see <see cref="BlockingAction.Throw"/>. Thrown on the thread that would have blocked, where it would have.
/// </summary>
public sealed class BlockingNotAllowedException : InvalidOperationException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="method">The method that was about to block; may be null.</param>
    /// <param name="kind">How, as in <see cref="Blocker.Kind"/>.</param>
    /// <param name="className">Work class of its item.</param>
    public BlockingNotAllowedException(string? method, string kind, string className)
        : base($"{method ?? "An item"} was about to block a worker in {kind}, and work class '{className}' must not block (BlockingAction is Throw). "
            + "Use await instead of waiting, or put the wait into BlockingScope.Enter(\"reason\") if it is meant.")
    {
        Method = method;
        Kind = kind;
        ClassName = className;
    }

    /// <summary>The method that was about to block; <see langword="null"/> when its stack does not say.</summary>
    public string? Method { get; }

    /// <summary>How, as in <see cref="Blocker.Kind"/>.</summary>
    public string Kind { get; }

    /// <summary>Work class of the item.</summary>
    public string ClassName { get; }
}
