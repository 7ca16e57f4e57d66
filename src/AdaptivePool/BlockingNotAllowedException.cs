namespace AdaptivePool;

/// <summary>
/// The exception for code that was about to block a worker although it must not; see <see cref="BlockingAction.Throw"/>. It is thrown on the thread and at the
/// place where the code would have blocked.
/// </summary>
public sealed class BlockingNotAllowedException : InvalidOperationException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="method">The method that was about to block; may be null.</param>
    /// <param name="kind">The kind of wait, as in <see cref="Blocker.Kind"/>.</param>
    /// <param name="className">The work class of the item.</param>
    public BlockingNotAllowedException(string? method, string kind, string className)
        : base($"{method ?? "An item"} was about to block a worker in {kind}, and work class '{className}' must not block (BlockingAction is Throw). "
            + "Use await instead of waiting, or put the wait into BlockingScope.Enter(\"reason\") if the wait is intended.")
    {
        Method = method;
        Kind = kind;
        ClassName = className;
    }

    /// <summary>The method that was about to block; <see langword="null"/> if the stack does not show it.</summary>
    public string? Method { get; }

    /// <summary>The kind of wait, as in <see cref="Blocker.Kind"/>.</summary>
    public string Kind { get; }

    /// <summary>The work class of the item.</summary>
    public string ClassName { get; }
}
