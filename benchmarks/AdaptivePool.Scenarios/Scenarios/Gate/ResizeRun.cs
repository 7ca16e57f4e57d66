using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Scenarios.Scenarios.Gate;

/// <summary>
/// Threads pass a gate while its limit changes. After each change all leases of before are given time to end; from then on until the next change, whoever
/// enters compares how many are inside with the limit in force.
/// </summary>
public sealed class ResizeRun(long passes)
{
    private const int Threads = 4;

    /// <summary>Below the threads: a limit that does not bind tests nothing.</summary>
    private const int MostTransactions = Threads - 1;

    /// <summary>One pass in so many asks for a lease and waits for it, so that the queue takes part; not more, since while a caller waits nobody races for the
    /// fast way.</summary>
    private const int WaitOneIn = 1_024;

    /// <summary>Fewer cores than threads: without giving way the limit would change once in a time slice.</summary>
    private const int YieldOneIn = 64;
    private readonly TransactionGate _gate = new(new TransactionGateOptions { PermitLimit = 1, FlowsWithContext = false });
    private readonly long[] _turns = new long[Threads * 16];
    private readonly CountdownEvent _running = new(Threads);
    private int _inside;
    private int _bound = int.MaxValue;
    private long _overLimit;
    private long _passes;

    /// <summary>Passes that found more inside than the limit in force.</summary>
    public long OverLimit => Interlocked.Read(ref _overLimit);

    /// <summary>Passes in all.</summary>
    public long Passes => Interlocked.Read(ref _passes);

    /// <summary>Share of the time of all slots in which they were held, counted while a caller waited.</summary>
    public double BusyWhileWaiting => _gate.GetSnapshot().BusyWhileWaiting;

    /// <summary>Changes of the limit.</summary>
    public long Changes { get; private set; }

    /// <summary>Runs until there were enough passes.</summary>
    public void Run()
    {
        foreach (int index in Enumerable.Range(0, Threads))
        {
            new Thread(() => Pass(index)) { IsBackground = true }.Start();
        }

        Random random = new(1);
        while (_running.CurrentCount == Threads)
        {
            int limit = 1 + random.Next(MostTransactions);
            _gate.PermitLimit = limit;
            Changes++;
            WaitForTurns();
            Volatile.Write(ref _bound, limit);
            WaitForTurns();
            Volatile.Write(ref _bound, int.MaxValue);
        }

        // The last limit may be too small for those that still wait for each other to end.
        _gate.PermitLimit = 0;
        _running.Wait();
    }

    /// <summary>Two ends of a turn of each thread: what each held at the call has ended.</summary>
    private void WaitForTurns()
    {
        for (int i = 0; i < Threads; i++)
        {
            ref long turns = ref _turns[i * 16];
            long seen = Volatile.Read(ref turns);
            while (Volatile.Read(ref turns) < seen + 2 && _running.CurrentCount == Threads)
            {
                Thread.Yield();
            }
        }
    }

    private void Pass(int index)
    {
        long entered = 0;
        for (long i = 0; entered < passes / Threads; i++)
        {
            if (i % YieldOneIn == 0)
            {
                Thread.Yield();
            }

            if (entered % WaitOneIn == 0)
            {
                using RateLimitLease lease = _gate.AcquireAsync().AsTask().GetAwaiter().GetResult();
                entered += Enter(lease.IsAcquired);
            }
            else
            {
                using TransactionPass pass = _gate.AttemptPass();
                entered += Enter(pass.IsAcquired);
            }

            Volatile.Write(ref _turns[index * 16], i + 1);
        }

        Interlocked.Add(ref _passes, entered);
        _running.Signal();
    }

    private int Enter(bool isInside)
    {
        if (!isInside)
        {
            return 0;
        }

        // The bound is read after the entry: one that is in force then was in force before, since it comes late and goes early.
        int inside = Interlocked.Increment(ref _inside);
        if (inside > Volatile.Read(ref _bound))
        {
            Interlocked.Increment(ref _overLimit);
        }

        // Long enough for the others to find the gate full: with passes of nothing the limit would hardly ever be what decides.
        Thread.SpinWait(2);
        Interlocked.Decrement(ref _inside);
        return 1;
    }
}
