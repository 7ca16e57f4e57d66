using System.Collections.Concurrent;
using System.Diagnostics;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Load;

/// <summary>
/// Clients that each send an item, wait for its end and send the next. A thread of the scenario sends for all of them: an item queued by an item would be work
/// in flight, which is not what a client is.
/// </summary>
public sealed class ClosedLoop
{
    /// <summary>From this many clients on the sender collects for a millisecond, unless told otherwise, instead of being woken for every end, which would cost
    /// the pools a tenth of the machine.</summary>
    private const int CollectFrom = 32;

    private static readonly TimeSpan s_leastSettling = TimeSpan.FromMilliseconds(300);
    private static readonly TimeSpan s_mostSettling = TimeSpan.FromSeconds(8);
    private static readonly TimeSpan s_mostDraining = TimeSpan.FromMinutes(3);

    private readonly int _collectFrom;
    private readonly TimeSpan _pause;
    private readonly ConcurrentQueue<ClosedLoopClient> _ended = new();
    private readonly SemaphoreSlim _signal = new(0);
    private readonly List<ClosedLoopClient> _held = [];
    private int _sleeping;
    private int _allowed;
    private int _sending;
    private long _sent;
    private long _completed;
    private long _failed;
    private Exception? _firstFailure;

    /// <summary>Creates the loop; nothing is sent before <see cref="Allow"/>.</summary>
    /// <param name="target">Where items go.</param>
    /// <param name="clients">Most clients there will be.</param>
    /// <param name="work">What an item does; null when <paramref name="asyncWork"/> is given.</param>
    /// <param name="asyncWork">What an asynchronous item does.</param>
    /// <param name="collectFrom">From this many clients on the sender collects; where few and many are compared it must treat both alike.</param>
    /// <param name="pause">What a client waits after a failure.</param>
    public ClosedLoop(ComparedClass target, int clients, Action? work, Func<Task>? asyncWork = null, int collectFrom = CollectFrom, TimeSpan pause = default)
    {
        _collectFrom = collectFrom;
        _pause = pause;
        for (int i = 0; i < clients; i++)
        {
            _held.Add(new ClosedLoopClient(this, i, target, work, asyncWork));
        }

        new Thread(Send) { IsBackground = true, Name = "clients" }.UnsafeStart();
    }

    /// <summary>Items that ended well.</summary>
    public long Completed => Interlocked.Read(ref _completed);

    /// <summary>Items that threw.</summary>
    public long Failed => Interlocked.Read(ref _failed);

    /// <summary>The first exception; null when there was none.</summary>
    public Exception? FirstFailure => Volatile.Read(ref _firstFailure);

    /// <summary>Time from sending to the end, of all items that ended well.</summary>
    public LatencyHistogram Latency { get; } = new();

    /// <summary>Whether nobody may send and everything that was sent has ended.</summary>
    private bool IsDrained => Volatile.Read(ref _sending) == 0 && Interlocked.Read(ref _sent) == Completed + Failed;

    /// <summary>Lets the first <paramref name="clients"/> clients send; the others stop when their item ends.</summary>
    public void Allow(int clients)
    {
        Volatile.Write(ref _allowed, clients);
        _signal.Release();
    }

    /// <summary>Lets nobody send and waits, on the calling thread, until everything that was sent has ended.</summary>
    /// <exception cref="TimeoutException">It has not within the time.</exception>
    public void Drain(TimeSpan limit)
    {
        Allow(0);
        for (long start = Stopwatch.GetTimestamp(); !IsDrained; Thread.Sleep(1))
        {
            if (Stopwatch.GetElapsedTime(start) > limit)
            {
                throw new TimeoutException($"Clients did not end within {limit.TotalSeconds} s.");
            }
        }
    }

    /// <summary>One turn of clients in a warm process: it counts from when about as many items have ended as there are clients, and all end with it.</summary>
    /// <param name="clients">Number of clients.</param>
    /// <param name="duration">How long it counts.</param>
    /// <param name="begin">Called when it begins to count.</param>
    /// <returns>Items per second.</returns>
    /// <exception cref="TimeoutException">The clients did not end.</exception>
    public double TakeTurn(int clients, TimeSpan duration, Action? begin = null)
    {
        Settle(clients);
        begin?.Invoke();
        long completed = Completed;
        long start = Stopwatch.GetTimestamp();
        Thread.Sleep(duration);
        double perSecond = (Completed - completed) / Stopwatch.GetElapsedTime(start).TotalSeconds;
        Drain(s_mostDraining);
        return perSecond;
    }

    private void Settle(int clients)
    {
        long before = Completed;
        long start = Stopwatch.GetTimestamp();
        Allow(clients);
        while (Stopwatch.GetElapsedTime(start) is var elapsed
            && (elapsed < s_leastSettling || (Completed - before < clients && elapsed < s_mostSettling)))
        {
            Thread.Sleep(5);
        }
    }

    /// <summary>A client's item ended.</summary>
    internal void OnEnded(ClosedLoopClient client, Exception? failure)
    {
        if (failure is null)
        {
            Interlocked.Increment(ref _completed);
            Latency.Add(Stopwatch.GetTimestamp() - client.SentAt);
        }
        else
        {
            Interlocked.Increment(ref _failed);
            Interlocked.CompareExchange(ref _firstFailure, failure, null);
        }

        if (failure is null || _pause == TimeSpan.Zero)
        {
            Return(client);
        }
        else
        {
            _ = ReturnLaterAsync(client);
        }
    }

    private async Task ReturnLaterAsync(ClosedLoopClient client)
    {
        await Task.Delay(_pause).ConfigureAwait(false);
        Return(client);
    }

    private void Return(ClosedLoopClient client)
    {
        _ended.Enqueue(client);
        if (Volatile.Read(ref _sleeping) == 1 && Interlocked.Exchange(ref _sleeping, 0) == 1)
        {
            _signal.Release();
        }
    }

    private void Send()
    {
        int applied = 0;
        while (true)
        {
            int allowed = Volatile.Read(ref _allowed);
            Volatile.Write(ref _sending, allowed);
            while (_ended.TryDequeue(out ClosedLoopClient? client))
            {
                if (client.Number < allowed)
                {
                    Send(client);
                }
                else
                {
                    _held.Add(client);
                }
            }

            // Only then: a look at thousands that must wait, after each item of a few, would be paid by the few alone.
            for (int i = allowed > applied ? _held.Count - 1 : -1; i >= 0; i--)
            {
                if (_held[i].Number < allowed)
                {
                    Send(_held[i]);
                    _held.RemoveAt(i);
                }
            }

            applied = allowed;
            if (allowed >= _collectFrom)
            {
                Thread.Sleep(1);
                continue;
            }

            // Whoever enqueues after this line sees the flag; whoever did before is seen by the test.
            Interlocked.Exchange(ref _sleeping, 1);
            if (_ended.IsEmpty && Volatile.Read(ref _allowed) == allowed)
            {
                _signal.Wait();
            }

            Volatile.Write(ref _sleeping, 0);
        }
    }

    private void Send(ClosedLoopClient client)
    {
        Interlocked.Increment(ref _sent);
        client.Send();
    }
}
