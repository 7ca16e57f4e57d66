namespace AdaptivePool.Diagnostics;

/// <summary>The handlers of warnings. Warnings from before there is a handler wait for the first one.</summary>
/// <param name="raise">Calls the handlers with a warning, outside the lock.</param>
/// <param name="whole">The handlers of the pool of which this is a part. They are called where this instance has none.</param>
internal sealed class WarningHandlers(Action<EventHandler<string>, string> raise, WarningHandlers? whole = null)
{
    private readonly Lock _lock = new();
    private readonly List<string> _untold = [];

    /// <summary>A handler that is added gets later warnings; <see cref="TellAgain"/> passes on the earlier ones.</summary>
    public event EventHandler<string>? Told;

    /// <summary>Whether a warning waits for the first handler. A hint: it is read without the lock.</summary>
    public bool HasUntold => _untold.Count > 0;

    /// <summary>Passes on the warnings that had no handler, after a handler was added.</summary>
    public void TellAgain()
    {
        List<string> untold;
        lock (_lock)
        {
            untold = [.. _untold];
            _untold.Clear();
        }

        untold.ForEach(Tell);
    }

    /// <summary>Keeps a warning until <see cref="TellAgain"/>. Handlers could not be given an object that is still being created.</summary>
    public void Keep(string warning)
    {
        lock (_lock)
        {
            _untold.Add(warning);
        }
    }

    /// <summary>Passes a warning to the handlers, or keeps it while there are none.</summary>
    public void Tell(string warning)
    {
        EventHandler<string>? told;
        lock (_lock)
        {
            // Pairs with TellAgain: a handler that is added to the whole from now on is seen here, or gets the kept warning.
            told = Told ?? whole?.Told;
            if (told is null)
            {
                _untold.Add(warning);
                return;
            }
        }

        raise(told, warning);
    }
}
