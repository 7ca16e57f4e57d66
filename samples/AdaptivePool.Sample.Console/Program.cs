using System.Diagnostics;
using AdaptivePool;
using AdaptivePool.Control;

// One pool for the whole program; disposing it finishes what it has accepted.
await using AdaptiveThreadPool pool = new(new AdaptivePoolOptions { Name = "sample" });

// Run is Task.Run on this pool.
int answer = await pool.Run(() => 6 * 7);
Console.WriteLine($"Run:               {answer}");

// A priority orders work that waits; a token takes back what has not started.
using CancellationTokenSource cancel = new();
Console.WriteLine($"Priority:          {await pool.Run(() => "urgent", WorkPriority.High, cancel.Token)}");

// The factory starts tasks here by default, their children and continuations too.
Task<int> sum = pool.Factory.StartNew(() => Enumerable.Range(1, 100).Sum()).ContinueWith(t => t.Result * 2, pool.Scheduler);
Console.WriteLine($"Factory:           {await sum}");

// Everything that takes a TaskScheduler works: Parallel, Dataflow, ParallelOptions.
long squares = 0;
await pool.Run(() =>
{
    Parallel.ForEach(Enumerable.Range(1, 1_000), new ParallelOptions { TaskScheduler = pool.Scheduler }, i => Interlocked.Add(ref squares, (long)i * i));
});
Console.WriteLine($"Parallel.ForEach:  {squares}");

// Work that blocks. The runtime's pool adds a thread or two per second for this; here they come as soon as nothing else helps.
long start = Stopwatch.GetTimestamp();
await Task.WhenAll(Enumerable.Range(0, 100).Select(_ => pool.Run(() => Thread.Sleep(100))));
Console.WriteLine($"100 x 100 ms:      {Stopwatch.GetElapsedTime(start).TotalMilliseconds:0} ms");

// A class keeps a limit of its own: a slow partner cannot take the threads of the rest, and the pool finds how many calls at once are worth it.
WorkClass partner = pool.GetClass("partner");
start = Stopwatch.GetTimestamp();
await Task.WhenAll(Enumerable.Range(0, 50).Select(_ => partner.Run(CallPartner)));
Console.WriteLine($"Class \"partner\":   {Stopwatch.GetElapsedTime(start).TotalMilliseconds:0} ms");

// Sync over async: each item waits for a continuation that needs a thread of the same pool.
start = Stopwatch.GetTimestamp();
await Task.WhenAll(Enumerable.Range(0, 50).Select(i => pool.Run(() => EchoAsync(i).Result)));
Console.WriteLine($"Sync over async:   {Stopwatch.GetElapsedTime(start).TotalMilliseconds:0} ms");

PoolSnapshot snapshot = pool.GetSnapshot();
Console.WriteLine();
Console.WriteLine($"Pool \"{snapshot.Name}\": target {snapshot.Target}, {snapshot.Existing} threads ({snapshot.Running} running, {snapshot.Blocked} blocked, "
    + $"{snapshot.Idle} idle), "
    + $"at most {snapshot.PeakThreads}; {snapshot.Completed} items completed, {snapshot.Queued} waiting");
foreach (WorkClassSnapshot c in snapshot.Classes)
{
    Console.WriteLine($"  class \"{c.Name}\": limit {c.Limit}, at most {c.PeakLimit}; {c.Completed} completed; {c.State}");
}

// Why it has the size that it has.
Console.WriteLine("The last decisions:");
foreach (ControllerTrace decision in Drain(pool).TakeLast(5))
{
    Console.WriteLine($"  {decision.At.TotalMilliseconds,7:0} ms  {decision.ClassName,-8} {decision.From,3} -> {decision.To,-3} {decision.Reason}");
}

// The pool notices most blocking by itself. A scope tells it at once, also where nobody can see it, such as inside a native driver.
static void CallPartner()
{
    using (BlockingScope.Enter("partner"))
    {
        Thread.Sleep(50);
    }
}

static async Task<int> EchoAsync(int value)
{
    await Task.Delay(20);
    return value;
}

static IEnumerable<ControllerTrace> Drain(AdaptiveThreadPool pool)
{
    while (pool.Decisions.TryRead(out ControllerTrace? trace))
    {
        yield return trace;
    }
}
