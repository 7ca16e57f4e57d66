global using SessionUse = AdaptivePool.Data.ConnectionUse<AdaptivePool.Internal.RealSync, AdaptivePool.Data.ProviderSession>;
using System.Data;
using System.Data.Common;
using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>The provider's connection that serves one use of a <see cref="GatedConnection"/>, and what of that use is open on it.</summary>
internal sealed class ProviderSession(DbConnection connection, bool isKept)
{
    private readonly SyncLock<RealSync> _lock = new();
    private readonly List<WeakReference<GatedStatement>> _statements = [];
    private int _prunedAt = 16;
    private StateChangeEventHandler? _watcher;

    public DbConnection Connection => connection;

    /// <summary>Whether it came from a shelf, and goes back there.</summary>
    public bool IsKept => isKept;

    public OpenReaders Readers { get; } = new();

    public StatementTurn<RealSync, GatedTransaction, GatedStatement> Turn { get; } = new();

    // These two are written by calls that are inside the use; who reads them has ended it, and comes after them.

    /// <summary>Whether nobody else may get it.</summary>
    public bool IsDirty { get; set; }

    /// <summary>Whether a transaction may be open that nobody here has begun.</summary>
    public bool IsSuspect { get; set; }

    /// <summary>Tells of the provider's changes of state until <see cref="Unwatch"/>.</summary>
    public void Watch(Action<ProviderSession, StateChangeEventArgs> watcher)
    {
        _watcher = (_, change) => watcher(this, change);
        connection.StateChange += _watcher;
    }

    public void Unwatch() => connection.StateChange -= _watcher;

    /// <summary>Closes its readers, rolls back its transaction and takes itself away from all statements that refer to it:
    /// the provider does so when a connection is closed, and a kept one is not. Fails nobody. For its user who closes it, with no call inside.</summary>
    public async Task CloseAllAsync(bool isAsync)
    {
        foreach (GatedReader reader in Readers.TakeAll())
        {
            await reader.EndAsync(isAsync).ConfigureAwait(false);
        }

        if (isKept && Turn.Transaction is { } open)
        {
            await open.RollBackAsync(isAsync).ConfigureAwait(false);
        }

        LetGo();
    }

    /// <summary>The permits of all that is open go back: the connection has ended, its transaction and readers may not have been closed yet.</summary>
    public void EndPermits(bool hasFailed)
    {
        Turn.Take()?.End(hasFailed);
        Array.ForEach(Readers.TakeAll(), reader => reader.Permit?.End(hasFailed));
    }

    /// <summary>A statement of a kept session refers to it, and must not do so any longer than the use:
    /// what is done with the statement later would reach another user.</summary>
    public void Remember(GatedStatement statement)
    {
        if (!isKept)
        {
            return;
        }

        using (_lock.Hold())
        {
            if (_statements.Count >= _prunedAt)
            {
                // One that is lost can do nothing any more.
                _statements.RemoveAll(static known => !known.TryGetTarget(out _));
                _prunedAt = Math.Max(16, 2 * _statements.Count);
            }

            _statements.Add(new WeakReference<GatedStatement>(statement));
        }
    }

    /// <summary>Takes the session away from all statements that refer to it. One that will not let go of it keeps it from all others.</summary>
    private void LetGo()
    {
        WeakReference<GatedStatement>[] all;
        using (_lock.Hold())
        {
            all = [.. _statements];
            _statements.Clear();
        }

        foreach (WeakReference<GatedStatement> known in all)
        {
            if (known.TryGetTarget(out GatedStatement? statement) && !statement.TryLetGo(this))
            {
                IsDirty = true;
            }
        }
    }
}
