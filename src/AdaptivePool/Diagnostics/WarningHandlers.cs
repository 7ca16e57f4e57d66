namespace AdaptivePool.Diagnostics;

/// <summary>Who listens to warnings. What comes before anybody does waits for the first who does.</summary>
/// <param name="raise">Calls the handlers with a warning, outside the lock.</param>
/// <param name="whole">Of that whose part this is: its handlers are told where this has none.</param>
internal sealed class WarningHandlers(Action<EventHandler<string>, string> raise, WarningHandlers? whole = null)
{
    private readonly Lock _lock = new();
    private readonly List<string> _untold = [];

    /// <summary>Whoever is added listens from then on; <see cref="TellAgain"/> tells what came before.</summary>
    public event EventHandler<string>? Told;

    /// <summary>Whether a warning waits for the first handler. A hint: it is not asked under the lock.</summary>
    public bool HasUntold => _untold.Count > 0;

    /// <summary>Somebody listens who was not there when what nobody was told came.</summary>
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

    /// <summary>Keeps a warning until <see cref="TellAgain"/>: whoever is being created is nothing that handlers could be told of.</summary>
    public void Keep(string warning)
    {
        lock (_lock)
        {
            _untold.Add(warning);
        }
    }

    /// <summary>Tells a warning to the handlers, or keeps it while there are none.</summary>
    public void Tell(string warning)
    {
        EventHandler<string>? told;
        lock (_lock)
        {
            // Pairs with TellAgain: who listens to the whole from now on is seen here, or sees what is kept.
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
