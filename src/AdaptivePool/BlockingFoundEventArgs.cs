namespace AdaptivePool;

/// <summary>Tells that a method blocks where it should not; see <see cref="BlockingAction.Warn"/>.</summary>
public sealed class BlockingFoundEventArgs(Blocker blocker, string message) : EventArgs
{
    /// <summary>The code that blocks.</summary>
    public Blocker Blocker { get; } = blocker;

    /// <summary>The same in one line, for a log.</summary>
    public string Message { get; } = message;
}
