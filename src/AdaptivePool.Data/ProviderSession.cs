global using SessionUse = AdaptivePool.Data.ConnectionUse<AdaptivePool.Internal.RealSync, AdaptivePool.Data.ProviderSession>;
using System.Collections.Immutable;
using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>The provider's connection that serves one use of a <see cref="GatedConnection"/>, and what of that use is open on it.</summary>
/// <param name="use">The use.</param>
/// <param name="connection">The provider's.</param>
/// <param name="isKept">Whether it came from a shelf, and goes back there.</param>
/// <param name="changed">Told of what the provider says of the connection's state.</param>
internal sealed class ProviderSession(SessionUse use, DbConnection connection, bool isKept, Action<StateChangeEventArgs> changed)
{
    private readonly SyncLock<RealSync> _lock = new();
    private readonly List<WeakReference<GatedStatement>> _statements = [];
    private System.Transactions.Transaction? _enlistedIn;
    private bool _isGone;

    /// <summary>Those that have not been closed. The provider may end a connection on any thread.</summary>
    private ImmutableArray<GatedReader> _readers = [];

    public SessionUse Use => use;

    public DbConnection Connection => connection;

    public bool IsKept => isKept;

    public StatementTurn<RealSync, GatedTransaction, GatedStatement> Turn { get; } = new();

    // These two are set by calls that are inside the use, and never taken back; who reads them has ended it, and comes after them.

    /// <summary>Whether nobody else may get it.</summary>
    public bool IsDirty { get; set; }

    /// <summary>Whether a transaction may be open that nobody here has begun.</summary>
    public bool IsSuspect { get; set; }

    /// <summary>Whether the provider has said that the connection is gone, and not that it is back: some open another one to change the database. Others only
    /// say so if they are asked.</summary>
    public bool IsBroken => _isGone || IsGone(connection.State);

    /// <summary>Whether it is part of a transaction of System.Transactions that has not ended.</summary>
    public bool IsEnlisted => _enlistedIn is { } transaction && IsActive(transaction);

    /// <summary>It takes part in a transaction of System.Transactions from now on; in none where that is null.</summary>
    public void Enlist(System.Transactions.Transaction? transaction)
    {
        // A clone: that of an inner scope is disposed before the transaction ends. No event: a scope of many sessions would keep each of them.
        _enlistedIn?.Dispose();
        _enlistedIn = IsActive(transaction) ? transaction!.Clone() : null;
    }

    private static bool IsActive(System.Transactions.Transaction? transaction)
    {
        try
        {
            return transaction?.TransactionInformation.Status == System.Transactions.TransactionStatus.Active;
        }
        catch (ObjectDisposedException)
        {
            return false;
        }
    }

    /// <summary>Looks at the provider's changes of state until <see cref="Unwatch"/>.</summary>
    public void Watch() => connection.StateChange += OnStateChange;

    public void Unwatch()
    {
        connection.StateChange -= OnStateChange;
        _enlistedIn?.Dispose();
    }

    /// <summary>Remembers a reader until it is removed, or the session ends.</summary>
    public void Add(GatedReader reader) => ImmutableInterlocked.Update(ref _readers, static (all, added) => all.Add(added), reader);

    public void Remove(GatedReader reader) => ImmutableInterlocked.Update(ref _readers, static (all, removed) => all.Remove(removed), reader);

    /// <summary>A lease inside that of the transaction or a reader that holds a permit; <see langword="null"/> when none does.</summary>
    public TransactionLease? TryNest(TransactionGate gate)
    {
        if (Turn.Transaction is { Permit.Lease: { } lease } && gate.TryNest(lease) is { } inside)
        {
            return inside;
        }

        foreach (GatedReader reader in _readers)
        {
            if (reader.Permit is { Lease: { } counted } && gate.TryNest(counted) is { } nested)
            {
                return nested;
            }
        }

        return null;
    }

    /// <summary>Closes its readers, rolls back its transaction and takes itself away from all statements that refer to it:
    /// the provider does so when a connection is closed, and a kept one is not. For its user who closes it, with no call inside.</summary>
    /// <returns>What a reader failed with, which may be a statement behind the rows that were read; <see langword="null"/> where none did, or the connection
    /// was gone before.</returns>
    public async Task<Exception?> CloseAllAsync(bool isAsync)
    {
        Exception? failure = null;
        bool wasBroken = IsBroken;
        foreach (GatedReader reader in TakeReaders())
        {
            Exception? failed = await reader.EndAsync(isAsync).ConfigureAwait(false);
            failure ??= wasBroken ? null : failed;
        }

        if (isKept && Turn.Transaction is { } open)
        {
            await open.RollBackAsync(isAsync).ConfigureAwait(false);
        }

        foreach (WeakReference<GatedStatement> known in _statements)
        {
            // One that will not let go of it keeps it from all others.
            if (known.TryGetTarget(out GatedStatement? statement) && !statement.TryLetGo(this))
            {
                IsDirty = true;
            }
        }

        return failure;
    }

    /// <summary>A call has left the session. Who has closed the connection meanwhile gives the permits back after the provider has closed it, and that may hang
    /// in closing what a call runs on: they do not wait for it.</summary>
    public void Leave()
    {
        if (use.Leave())
        {
            EndPermits(hasFailed: false);
        }
    }

    /// <summary>The permits of all that is open go back: the connection has ended, its transaction and readers may not have been closed yet.</summary>
    public void EndPermits(bool hasFailed)
    {
        Turn.Transaction?.End(hasFailed);
        foreach (GatedReader reader in TakeReaders())
        {
            reader.Permit?.End(hasFailed);
        }
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
            if (_statements.Count == _statements.Capacity)
            {
                // One that is lost can do nothing any more.
                _statements.RemoveAll(static known => !known.TryGetTarget(out _));
            }

            _statements.Add(new WeakReference<GatedStatement>(statement));
        }
    }

    private void OnStateChange(object? sender, StateChangeEventArgs change)
    {
        _isGone = IsGone(change.CurrentState);
        if (_isGone)
        {
            // The server knows of no transaction any more, whatever its owner does.
            EndPermits(hasFailed: true);
        }

        changed(change);
    }

    private static bool IsGone(ConnectionState state) => state is ConnectionState.Closed or ConnectionState.Broken;

    private ImmutableArray<GatedReader> TakeReaders() => ImmutableInterlocked.InterlockedExchange(ref _readers, []);

    /// <summary>A call that has entered the use, and leaves when this is disposed.</summary>
    /// <param name="session">The session of the use.</param>
    public readonly struct Visit(ProviderSession session) : IDisposable
    {
        public void Dispose() => session.Leave();
    }
}
