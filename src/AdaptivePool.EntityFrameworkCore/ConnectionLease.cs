using System.Data;
using System.Runtime.CompilerServices;
using System.Threading.RateLimiting;

namespace AdaptivePool.EntityFrameworkCore;

/// <summary>
/// The place in the gate of a transaction or statement of a connection. While a query of the connection holds a permit, that permit serves what else runs on
/// the connection: a caller that holds one does not wait for another. The place also ends with the connection: the framework does not tell interceptors when a
/// connection breaks, or when the application closes it.
/// </summary>
internal sealed class ConnectionLease
{
    /// <summary>By connection, and by the transaction that runs on it: contexts may share both. Weakly keyed, so what is lost takes its entry along.</summary>
    private static readonly ConditionalWeakTable<object, OpenLeases> s_open = [];

    /// <summary>Needed from the first lease on.</summary>
    private static readonly IDisposable s_disposed = DisposedTransactions.Follow();

    private readonly TransactionGate _gate;
    private readonly DbConnection _connection;
    private readonly TransactionLease _lease;
    private readonly OpenLeases _open;
    private DbTransaction? _begun;
    private Guid _begunId;

    /// <summary>The context for which the gate has begun the transaction, until the framework has it: no other code ends it before.</summary>
    private Guid? _orphanOf;

    private ConnectionLease(TransactionGate gate, DbConnection connection, TransactionLease lease)
    {
        _gate = gate;
        _connection = connection;
        _lease = lease;
        _open = OpenOn(connection);
        lock (_open)
        {
            _open.All.Add(this);
        }

        connection.StateChange += OnStateChange;
    }

    /// <summary>The reader of a query. The framework does not report its close if the rows fail while the framework buffers them for a retry, or if the rest of
    /// them fail as the reader closes. If it buffers them for the next query of a split query, that one runs before the report.</summary>
    public DbDataReader? Reader { get; set; }

    /// <summary>Whether the provider runs a statement of it, its begin or end, or a savepoint. A connection that closes meanwhile has broken: some providers
    /// report only that it is closed.</summary>
    public bool IsInCall { get; set; }

    /// <summary>Enters the gate. Not an async method: the lease flows to the caller.</summary>
    /// <param name="gate">The gate.</param>
    /// <param name="request">The request to the gate.</param>
    /// <param name="connection">The connection.</param>
    /// <param name="beginner">The context whose transaction is about to begin there; null for a statement that stands for itself.</param>
    /// <exception cref="TransactionRefusedException">The gate refuses.</exception>
    /// <exception cref="InvalidOperationException">Another transaction waits at the gate to begin on the connection.</exception>
    public static ConnectionLease Enter(TransactionGate gate, TransactionRequest request, DbConnection connection, Guid? beginner)
    {
        using Beginning? one = beginner is { } context ? new Beginning(gate, connection, context) : null;
        return TryShare(gate, connection) ?? Of(gate, gate.Acquire(request), connection);
    }

    /// <inheritdoc cref="Enter"/>
    public static async ValueTask<ConnectionLease> EnterAsync(
        TransactionGate gate, TransactionRequest request, DbConnection connection, Guid? beginner, CancellationToken cancellationToken)
    {
        using Beginning? one = beginner is { } context ? new Beginning(gate, connection, context) : null;

        // As the framework does: the gate would throw an exception of another type.
        cancellationToken.ThrowIfCancellationRequested();
        return TryShare(gate, connection) ?? Of(gate, await gate.AcquireAsync(request, cancellationToken).ConfigureAwait(false), connection);
    }

    /// <summary>The lease of a transaction in a gate, until it leaves. Found by the transaction: a provider's transaction that has ended does not know its
    /// connection any more.</summary>
    public static ConnectionLease? Of(TransactionGate gate, DbTransaction transaction) =>
        s_open.TryGetValue(transaction, out OpenLeases? open) ? Find(open, gate, lease => ReferenceEquals(lease._begun, transaction)) : null;

    /// <summary>The provider has begun the transaction. It may be the object of an earlier one, perhaps of another connection.</summary>
    /// <param name="transaction">The transaction.</param>
    /// <param name="id">What the framework calls it.</param>
    /// <param name="orphanOf">The context for which the gate has begun it; null if other code has begun it, which ends it too.</param>
    public void Begun(DbTransaction transaction, Guid id, Guid? orphanOf)
    {
        // An earlier transaction whose end was not reported is over: a connection has one at a time. This one shares its permit.
        Find(_open, _gate, static lease => lease._begun is not null)?.End();

        _begun = transaction;
        _begunId = id;
        _orphanOf = orphanOf;
        s_open.AddOrUpdate(transaction, _open);
    }

    /// <summary>The framework has the transaction that a context has begun on a connection, and ends it.</summary>
    // Found by the connection: another interceptor may have put a transaction of its own around this one.
    public static void TakeOver(TransactionGate gate, DbConnection connection, Guid beginner) =>
        Find(OpenOn(connection), gate, lease => lease._orphanOf == beginner)?._orphanOf = null;

    /// <summary>The framework will never have the transaction, because an interceptor throws: rolls it back if a gate has begun it, and leaves all gates.
    /// </summary>
    public static void Abandon(DbTransaction transaction) => Array.ForEach(AllOf(transaction), static lease => lease.Abandon());

    /// <summary>
    /// The framework has disposed the transaction, and with that the provider has ended it, if nothing else had. The framework says so afterwards: by then the
    /// object may be that of a transaction of another connection.
    /// </summary>
    public static void Disposed(DbTransaction transaction, Guid id) =>
        Array.ForEach(Array.FindAll(AllOf(transaction), lease => lease._begunId == id), static lease => lease.End());

    /// <summary>Leaves the gate. Only the first call has an effect. The last lease that shares the permit gives it back.</summary>
    public void End(bool hasFailed = false)
    {
        _connection.StateChange -= OnStateChange;
        bool isLast;
        lock (_open)
        {
            if (!_open.All.Remove(this))
            {
                return;
            }

            isLast = !_open.All.Exists(other => ReferenceEquals(other._lease, _lease));
        }

        if (hasFailed)
        {
            MarkFailed();
        }

        if (isLast)
        {
            _lease.Dispose();
        }
    }

    /// <summary>A begin, statement, commit, rollback or dispose failed, or the connection broke.</summary>
    public void MarkFailed() => _lease.HasFailed = true;

    /// <summary>The transaction has committed: an earlier failure was undone to a savepoint, or did not matter.</summary>
    public void Commit()
    {
        _lease.HasFailed = false;
        End();
    }

    private void Abandon()
    {
        if (_orphanOf is not null)
        {
            _orphanOf = null;
            try
            {
                _begun!.Dispose();
            }
            catch (Exception)
            {
                // The provider tells the next transaction whether its connection can still be used.
                MarkFailed();
            }
        }

        End();
    }

    private static OpenLeases OpenOn(DbConnection connection) => s_open.GetOrCreateValue(connection);

    /// <summary>The leases of a transaction, in all its gates.</summary>
    private static ConnectionLease[] AllOf(DbTransaction transaction) =>
        s_open.TryGetValue(transaction, out OpenLeases? open) ? FindAll(open, lease => ReferenceEquals(lease._begun, transaction)) : [];

    private static ConnectionLease[] FindAll(OpenLeases open, Func<ConnectionLease, bool> isWanted)
    {
        lock (open)
        {
            return [.. open.All.Where(isWanted)];
        }
    }

    private static ConnectionLease? Find(OpenLeases open, TransactionGate gate, Predicate<ConnectionLease> isWanted)
    {
        lock (open)
        {
            return open.All.Find(lease => ReferenceEquals(lease._gate, gate) && isWanted(lease));
        }
    }

    private static ConnectionLease Of(TransactionGate gate, RateLimitLease answer, DbConnection connection) =>
        answer is TransactionLease lease ? new ConnectionLease(gate, connection, lease) : throw TransactionRefusedException.From(gate, answer);

    /// <summary>A new lease that shares the permit of an open one of the connection; null if there is none. A connection serves one operation at a time: the
    /// permit that it shares does not end meanwhile, unless the connection does.</summary>
    private static ConnectionLease? TryShare(TransactionGate gate, DbConnection connection)
    {
        OpenLeases open = OpenOn(connection);

        // In all gates: a caller that waits for one of them with a permit of the next may wait for a caller that has come further.
        Array.ForEach(FindAll(open, static lease => lease.Reader is { IsClosed: true }), static lease => lease.End());
        lock (open)
        {
            return Find(open, gate, static _ => true) is { } shared ? new ConnectionLease(gate, connection, shared._lease) : null;
        }
    }

    private void OnStateChange(object? sender, StateChangeEventArgs change)
    {
        if (change.CurrentState is ConnectionState.Closed or ConnectionState.Broken)
        {
            End(hasFailed: IsInCall || change.CurrentState == ConnectionState.Broken);
        }
    }

    /// <summary>The leases of a connection. The object is its own lock.</summary>
    private sealed class OpenLeases
    {
        public List<ConnectionLease> All { get; } = [];

        public bool IsBeginning { get; set; }
    }

    /// <summary>
    /// A transaction from before it enters the gate until it has entered. A connection has one at a time, because a second one might wait for the permit that
    /// the first one gets. The framework refuses the second one as soon as the first has begun.
    /// </summary>
    private readonly struct Beginning : IDisposable
    {
        private readonly OpenLeases _open;

        public Beginning(TransactionGate gate, DbConnection connection, Guid beginner)
        {
            _open = OpenOn(connection);
            lock (_open)
            {
                if (_open.IsBeginning)
                {
                    throw new InvalidOperationException(
                        $"Another transaction waits at gate '{gate.Name}' to begin on this connection. Use a context for one operation at a time.");
                }

                _open.IsBeginning = true;
            }

            // Abandons a transaction of this context that the framework never got, because an interceptor threw after it had begun. One of another context
            // stays: an interceptor may only be slow, and an open transaction shares its permit with the new one, which the provider refuses.
            Find(_open, gate, lease => lease._orphanOf == beginner)?.Abandon();
        }

        public void Dispose()
        {
            lock (_open)
            {
                _open.IsBeginning = false;
            }
        }
    }
}
