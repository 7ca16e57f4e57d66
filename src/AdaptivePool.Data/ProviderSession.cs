global using SessionUse = AdaptivePool.Data.ConnectionUse<AdaptivePool.Internal.RealSync, AdaptivePool.Data.ProviderSession>;
using System.Collections.Immutable;
using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>The provider's connection that serves one use of a <see cref="GatedConnection"/>, and what of that use is open on it.</summary>
/// <param name="use">The use.</param>
/// <param name="connection">The provider's.</param>
/// <param name="isKept">Whether it came from a shelf, and goes back there.</param>
/// <param name="changed">Called when the provider reports a change of the connection's state.</param>
internal sealed class ProviderSession(SessionUse use, DbConnection connection, bool isKept, Action<StateChangeEventArgs> changed)
{
    private readonly SyncLock<RealSync> _lock = new();
    private readonly List<WeakReference<GatedStatement>> _statements = [];
    private System.Transactions.Transaction? _enlistedIn;
    private bool _isGone;

    /// <summary>The readers that have not been closed. The provider may end a connection on any thread.</summary>
    private ImmutableArray<GatedReader> _readers = [];

    public SessionUse Use => use;

    public DbConnection Connection => connection;

    public bool IsKept => isKept;

    public StatementTurn<RealSync, GatedTransaction, GatedStatement> Turn { get; } = new();

    // Calls inside the use set these two, and never reset them. The call that reads them has ended the use, and comes after those calls.

    /// <summary>Whether no other user may get the session.</summary>
    public bool IsDirty { get; set; }

    /// <summary>Whether a transaction may be open that this library did not begin, or did not see begin.</summary>
    public bool IsSuspect { get; set; }

    /// <summary>Whether the provider has reported that the connection is gone, and not that it is back: some providers open another one to change the database.
    /// Others report it only if they are asked.</summary>
    public bool IsBroken => _isGone || IsGone(connection.State);

    /// <summary>Whether the session is part of a transaction of System.Transactions that has not ended.</summary>
    public bool IsEnlisted => _enlistedIn is { } transaction && IsActive(transaction);

    /// <summary>The session takes part in a transaction of System.Transactions from now on; in none if that is null.</summary>
    public void Enlist(System.Transactions.Transaction? transaction)
    {
        // A clone: the object of an inner scope is disposed before the transaction ends. No event: a scope of many sessions would keep each of them.
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

    /// <summary>Closes its readers, rolls back its transaction and takes itself away from all statements that refer to it: the provider does so when a
    /// connection is closed, and a kept one is not closed. Called when the user closes the connection, with no call inside.</summary>
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
            // A statement that does not let go of the session keeps it from all other users.
            if (known.TryGetTarget(out GatedStatement? statement) && !statement.TryLetGo(this))
            {
                IsDirty = true;
            }
        }

        return failure;
    }

    /// <summary>A call has left the session. If the connection was closed meanwhile, the permits go back now: the call that closes gives them back only after
    /// the provider has closed its connection, and the provider may hang while a call still runs on it.</summary>
    public void Leave()
    {
        if (use.Leave())
        {
            EndPermits(hasFailed: false);
        }
    }

    /// <summary>Gives back the permits of all that is open. The connection has ended, but its transaction and readers may not have been closed yet.</summary>
    public void EndPermits(bool hasFailed)
    {
        Turn.Transaction?.End(hasFailed);
        foreach (GatedReader reader in TakeReaders())
        {
            reader.Permit?.End(hasFailed);
        }
    }

    /// <summary>Remembers a statement that refers to a kept session. It must not do so for longer than the use: later calls of the statement would reach
    /// another user's session.</summary>
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
                // A statement that was collected can do nothing any more.
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
            // The server has no transaction any more, whatever the owner of the transaction does.
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
