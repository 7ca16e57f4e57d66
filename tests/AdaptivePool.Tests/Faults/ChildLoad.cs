using System.Globalization;

namespace AdaptivePool.Tests.Faults;

/// <summary>What the child processes of the fault tests do.</summary>
internal static class ChildLoad
{
    private const int Outstanding = 256;

    public static int Run(string[] arguments) => arguments switch
    {
        ["suspend", var load] => Suspend(load),
        ["smoke"] => Smoke(),
        _ => 2,
    };

    // A closed loop of items until told to end. Hogs need cores + 1 threads at most, sleepers as many as there are items outstanding.
    private static int Suspend(string load)
    {
        using var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { MinThreads = 1 });
        using var room = new SemaphoreSlim(load == "hogs" ? Outstanding : 16);
        int completed = 0;
        bool ends = false;
        var feeder = new Thread(() =>
        {
            while (!Volatile.Read(ref ends))
            {
                room.Wait();
                pool.UnsafeQueueUserWorkItem(new CallbackItem(() =>
                {
                    Work(load);
                    Interlocked.Increment(ref completed);
                    room.Release();
                }), preferLocal: false);
            }
        }) { IsBackground = true };
        feeder.Start();
        while (Console.ReadLine() is { } line)
        {
            if (line == "end")
            {
                Volatile.Write(ref ends, true);
                feeder.Join();
                pool.Dispose();
                Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"rescues {pool.GetSnapshot().Rescues}"));
                return 0;
            }

            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{pool.GetSnapshot().PeakThreads} {Volatile.Read(ref completed)}"));
        }

        return 3;
    }

    private static void Work(string load)
    {
        if (load == "hogs")
        {
            Thread.SpinWait(50_000);
        }
        else
        {
            Thread.Sleep(5);
        }
    }

    // One thing after the other, each of which a pool that starves would never finish.
    private static int Smoke()
    {
        using var pool = new AdaptiveThreadPool();
        Task.WaitAll([.. Enumerable.Range(0, 1_000).Select(_ => pool.Run(static () => { }))]);
        Task.WaitAll([.. Enumerable.Range(0, 50).Select(_ => pool.GetClass("sync over async").Run(static () => Later().Wait()))]);
        Task.WaitAll([.. Enumerable.Range(0, 50).Select(_ => pool.GetClass("sleepers").Run(static () => Thread.Sleep(50)))]);

        WorkClass hogs = pool.GetClass("hogs");
        bool ends = false;
        Task[] burning = [.. Enumerable.Range(0, 8).Select(_ => hogs.Run(() =>
        {
            while (!Volatile.Read(ref ends))
            {
                Thread.SpinWait(1_000);
            }
        }))];
        int cores = Environment.ProcessorCount;
        bool isCapped = SpinWait.SpinUntil(() => hogs.GetSnapshot() is { Active: > 0 } now && now.Limit <= cores + 1, Eventually.Patience);
        Task beside = pool.Run(static () => { });
        bool othersRun = beside.Wait(Eventually.Patience);
        Volatile.Write(ref ends, true);
        Task.WaitAll(burning);
        pool.Dispose();
        Console.ReadLine();
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"cores {cores} capped {isCapped} others {othersRun} rescues {pool.GetSnapshot().Rescues}"));
        return 0;
    }

    private static async Task Later()
    {
        await Task.Delay(5);
        await Task.Yield();
    }
}
