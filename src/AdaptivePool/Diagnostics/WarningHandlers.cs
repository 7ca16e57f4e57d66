namespace AdaptivePool.Diagnostics;

/// <summary>Who listens to warnings. What comes before anybody does waits for the first who does.</summary>
internal sealed class WarningHandlers
{
    private readonly Lock _lock = new();
    private readonly List<string> _untold = [];
    private EventHandler<string>? _handlers;

    /// <summary>Adds a handler.</summary>
    /// <returns>What it is to be told at once.</returns>
    public IReadOnlyList<string> Add(EventHandler<string>? handler)
    {
        lock (_lock)
        {
            _handlers += handler;
            List<string> untold = handler is null ? [] : [.. _untold];
            if (handler is not null)
            {
                _untold.Clear();
            }

            return untold;
        }
    }

    /// <summary>Removes a handler.</summary>
    public void Remove(EventHandler<string>? handler)
    {
        lock (_lock)
        {
            _handlers -= handler;
        }
    }

    /// <summary>The handlers to tell; <see langword="null"/> where there are none: the warning is kept then.</summary>
    public EventHandler<string>? For(string warning)
    {
        lock (_lock)
        {
            if (_handlers is null)
            {
                _untold.Add(warning);
            }

            return _handlers;
        }
    }
}
