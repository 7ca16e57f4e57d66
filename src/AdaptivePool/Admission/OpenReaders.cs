using System.Data.Common;
using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <summary>The readers of a connection that nobody is known to have closed. The provider may end a connection on any thread.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class OpenReaders<TSync>
    where TSync : struct, ISync
{
    private readonly Gate<TSync> _lock = new();
    private readonly List<DbDataReader> _readers = [];

    /// <summary>Remembers a reader until it is removed, or, when it is the provider's own, until it is found closed.</summary>
    public void Add(DbDataReader reader)
    {
        using (_lock.Hold())
        {
            // Some providers hand out the same object again.
            _readers.RemoveAll(known => ReferenceEquals(known, reader) || (known is not GatedReader && known.IsClosed));
            _readers.Add(reader);
        }
    }

    /// <summary>Forgets a reader.</summary>
    /// <returns>Whether it was there.</returns>
    public bool Remove(DbDataReader reader)
    {
        using (_lock.Hold())
        {
            return _readers.Remove(reader);
        }
    }

    /// <summary>Those that are remembered; they are forgotten.</summary>
    public DbDataReader[] TakeAll()
    {
        using (_lock.Hold())
        {
            DbDataReader[] all = [.. _readers];
            _readers.Clear();
            return all;
        }
    }

    /// <summary>The permits of all readers go back: the connection has ended, the readers have not been closed yet.</summary>
    public void EndLeases(bool haveFailed)
    {
        DbDataReader[] all;
        using (_lock.Hold())
        {
            all = [.. _readers];
        }

        foreach (DbDataReader reader in all)
        {
            (reader as GatedReader)?.EndLease(haveFailed);
        }
    }
}
