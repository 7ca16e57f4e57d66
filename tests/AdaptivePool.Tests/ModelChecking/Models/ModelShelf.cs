using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Tests.Admission;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>
/// A shelf under check with users that do what <see cref="ConnectionShelf"/> does, and what must hold whatever happened: each connection is in one place, one
/// is opened at a time, no more live than the limit allows, and nobody waits who could be served.
/// </summary>
internal sealed class ModelShelf
{
    public static readonly TimeSpan IdleTimeout = TimeSpan.FromMinutes(1);
    private readonly int _limit;
    private readonly List<ModelConnection> _made = [];
    private readonly List<ModelConnection> _held = [];
    private readonly List<ConnectionWaiter<ModelConnection>> _waits = [];
    private readonly HashSet<ConnectionWaiter<ModelConnection>> _rung = [];
    private int _opening;
    private bool _isDismissed;

    /// <param name="limit">As many as the gate lets in; 0 for any number.</param>
    /// <param name="failures">What openings fail with, one after another; then they succeed.</param>
    public ModelShelf(int limit, params Exception[] failures)
    {
        _limit = limit;
        Failures = new Queue<Exception>(failures);
        Core = new ShelfCore<ModelSync, ModelConnection>(() => limit, IdleTimeout, Clock);
    }

    public ManualClock Clock { get; } = new();

    public ShelfCore<ModelSync, ModelConnection> Core { get; }

    public Queue<Exception> Failures { get; }

    /// <summary>Whether the thread that looks may have let one open past the limit.</summary>
    public bool MayExceed { get; set; }

    /// <summary>A connection that is in use before the threads start.</summary>
    public ModelConnection InUse() => Rent() ?? throw new InvalidOperationException("The shelf has no room for one more.");

    /// <summary>One that waits before the threads start.</summary>
    public ConnectionWaiter<ModelConnection> Waiting()
    {
        _waits.Add(Core.Take().Waiter!);
        return _waits[^1];
    }

    /// <summary>A connection; <see langword="null"/> for one that was refused, met a failure, or waits for good.</summary>
    public ModelConnection? Rent()
    {
        ModelConnection? connection;
        ConnectionWaiter<ModelConnection>? waiter;
        try
        {
            (connection, _, waiter) = Core.Take();
        }
        catch (ObjectDisposedException)
        {
            return null;
        }

        if (waiter is null)
        {
            return Serve(connection);
        }

        _waits.Add(waiter);
        return Await(waiter);
    }

    /// <summary>The same for one that gives up if it may.</summary>
    public ModelConnection? GiveUp(ConnectionWaiter<ModelConnection> waiter)
    {
        // A choice point: the task is the framework's, and none by itself.
        ModelSync.Enter(waiter, string.Empty, 9);
        waiter.TrySetCanceled(CancellationToken.None);
        ModelSync.Exit(waiter, string.Empty, 10);
        return Await(waiter);
    }

    /// <summary>Waits until it is told. What may have told a waiter rings afterwards.</summary>
    public ModelConnection? Await(ConnectionWaiter<ModelConnection> waiter)
    {
        ModelSync.Enter(waiter, string.Empty, 1);
        while (!waiter.Task.IsCompleted && !_isDismissed)
        {
            ModelSync.Wait(waiter, string.Empty, 2);
        }

        ModelSync.Exit(waiter, string.Empty, 3);
        if (waiter.Task.IsCanceled)
        {
            Core.Leave(waiter);
        }

        return waiter.Task.IsCompletedSuccessfully ? Serve(waiter.Task.Result) : null;
    }

    public void Return(ModelConnection? connection, bool isClean = true)
    {
        if (connection is not null)
        {
            _held.Remove(connection);
            connection.End();
            if (!isClean || !Core.TryKeep(connection))
            {
                Discard(connection, isCounted: true);
            }

            Ring();
        }
    }

    /// <summary>One whole use.</summary>
    public void Use() => Return(Rent());

    public TimeSpan? Look()
    {
        List<ModelConnection> expired = [];
        TimeSpan? next = Core.Look(expired);
        expired.ForEach(connection => Discard(connection, isCounted: false));
        Ring();
        return next;
    }

    public void Close()
    {
        Array.ForEach(Core.Close(new ObjectDisposedException(nameof(ModelShelf))), connection => Discard(connection, isCounted: false));
        Ring();
    }

    /// <summary>At the end.</summary>
    public void Check()
    {
        GatedDataSourceSnapshot found = Core.Snapshot;
        int open = _made.Count(static connection => !connection.IsClosed);
        int waiting = _waits.Count(static waiter => !waiter.Task.IsCompleted);
        ModelFailureException.Require(found.Open == open, $"{found.Open} count as open, {open} are");
        ModelFailureException.Require(found.Idle + _held.Count == open, $"{open} open: {found.Idle} idle, {_held.Count} in use");
        ModelFailureException.Require(found.Waiting == waiting, $"{found.Waiting} count as waiting, {waiting} do");
        ModelFailureException.Require(waiting == 0 || (found.Idle == 0 && _limit > 0 && open >= _limit),
            "somebody waits beside a connection, or beside room for one");
    }

    /// <summary>At the end, when all have given back what they had.</summary>
    public void CheckAllServed()
    {
        Check();
        ModelFailureException.Require(_held.Count == 0 && Core.Snapshot.Waiting == 0, "somebody was forgotten");
    }

    /// <summary>Ends the waits that nobody ends.</summary>
    public void Dismiss()
    {
        _isDismissed = true;
        Core.Monitor?.Dispose();
    }

    private ModelConnection? Serve(ModelConnection? connection) => connection is null ? Open() : Begin(connection);

    private ModelConnection? Open()
    {
        ModelFailureException.Require(ModelSync.Increment(ref _opening, string.Empty, 4) == 1, "two are opened at once");
        ModelSync.Decrement(ref _opening, string.Empty, 5);
        if (Failures.TryDequeue(out Exception? failure))
        {
            Core.EndTurn(wasOpened: false, failure is OperationCanceledException ? null : failure);
            Ring();
            return null;
        }

        int open = _made.Count(static other => !other.IsClosed);
        ModelFailureException.Require(MayExceed || _limit == 0 || open < _limit, $"one is opened beside {open} that are not closed, with room for {_limit}");
        var connection = new ModelConnection($"connection {_made.Count}");
        _made.Add(connection);
        Core.EndTurn(wasOpened: true, failure: null);
        Ring();
        return Begin(connection);
    }

    private ModelConnection Begin(ModelConnection connection)
    {
        connection.Begin();
        _held.Add(connection);
        return connection;
    }

    private void Discard(ModelConnection connection, bool isCounted)
    {
        connection.Close();
        Core.Drop(isCounted);
    }

    private void Ring()
    {
        while (_waits.Find(waiter => waiter.Task.IsCompleted && !_rung.Contains(waiter)) is { } told)
        {
            _rung.Add(told);
            ModelSync.Enter(told, string.Empty, 6);
            ModelSync.Pulse(told, string.Empty, 7);
            ModelSync.Exit(told, string.Empty, 8);
        }
    }
}
