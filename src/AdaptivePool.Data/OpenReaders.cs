using AdaptivePool.Admission;
using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>The readers of a session that have not been closed. The provider may end a connection on any thread.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class OpenReaders<TSync>
    where TSync : struct, ISync
{
    private readonly SyncLock<TSync> _lock = new();
    private readonly List<GatedReader> _readers = [];

    /// <summary>Remembers a reader until it is removed.</summary>
    public void Add(GatedReader reader)
    {
        using (_lock.Hold())
        {
            _readers.Add(reader);
        }
    }

    /// <summary>Forgets a reader.</summary>
    /// <returns>Whether it was there.</returns>
    public bool Remove(GatedReader reader)
    {
        using (_lock.Hold())
        {
            return _readers.Remove(reader);
        }
    }

    /// <summary>Those that are remembered; they are forgotten.</summary>
    public GatedReader[] TakeAll()
    {
        using (_lock.Hold())
        {
            GatedReader[] all = [.. _readers];
            _readers.Clear();
            return all;
        }
    }

    /// <summary>A lease inside that of a reader that holds a permit; <see langword="null"/> when none does.</summary>
    public TransactionLease? TryNest(TransactionGate gate)
    {
        using (_lock.Hold())
        {
            foreach (GatedReader reader in _readers)
            {
                if (reader.TryNest(gate) is { } nested)
                {
                    return nested;
                }
            }

            return null;
        }
    }

    /// <summary>The permits of all readers go back: the connection has ended, the readers have not been closed yet.</summary>
    public void EndLeases(bool haveFailed)
    {
        GatedReader[] all;
        using (_lock.Hold())
        {
            all = [.. _readers];
        }

        Array.ForEach(all, reader => reader.EndLease(haveFailed));
    }
}
