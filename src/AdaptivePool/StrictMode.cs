namespace AdaptivePool;

/// <summary>
/// What happens when the code that runs now, and all that it awaits or starts, blocks a worker. Stronger than <see cref="WorkClass.BlockingAction"/> and
/// <see cref="AdaptivePoolOptions.BlockingAction"/>. Made for a test or an endpoint.
/// </summary>
public static class StrictMode
{
    private static readonly AsyncLocal<BlockingAction?> s_current = new();
    private static bool s_isUsed;

    /// <summary>
    /// The action for the present execution context, with which it flows; <see langword="null"/>, the default, leaves it to the class and the pool.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is no <see cref="BlockingAction"/>.</exception>
    public static BlockingAction? Current
    {
        get => s_current.Value;
        set
        {
            if (value is { } action)
            {
                ThrowIfUnknown(action);
            }

            // Never taken back. A worker that does not see it yet runs under a context that was captured before the value was set, too.
            Volatile.Write(ref s_isUsed, true);
            s_current.Value = value;
        }
    }

    /// <summary>The action of the present context, for a price only where one was ever set.</summary>
    internal static BlockingAction? Flowed => Volatile.Read(ref s_isUsed) ? s_current.Value : null;

    internal static void ThrowIfUnknown(BlockingAction value)
    {
        if (value is < BlockingAction.Ignore or > BlockingAction.Throw)
        {
            throw new ArgumentOutOfRangeException(nameof(value), value, "The action must be Ignore, Warn or Throw.");
        }
    }
}
