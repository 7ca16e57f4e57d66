using AdaptivePool.Admission;
using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>The readers of a session that have not been closed. The provider may end a connection on any thread.</summary>
internal sealed class OpenReaders
{
    private readonly SyncLock<RealSync> _lock = new();
    private readonly List<GatedReader> _readers = [];

    /// <summary>Remembers a reader until it is removed.</summary>
    public void Add(GatedReader reader)
    {
        using (_lock.Hold())
        {
            _readers.Add(reader);
        }
    }

    public void Remove(GatedReader reader)
    {
        using (_lock.Hold())
        {
            _readers.Remove(reader);
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
                if (reader.Permit is { } permit && gate.TryNest(permit.Lease) is { } nested)
                {
                    return nested;
                }
            }

            return null;
        }
    }
}
