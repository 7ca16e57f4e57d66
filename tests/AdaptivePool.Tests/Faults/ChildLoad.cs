using System.Globalization;
using AdaptivePool.Sensing;
using AdaptivePool.Stress;
using AdaptivePool.Tests.Guests;
using AdaptivePool.Tests.Sensing;

namespace AdaptivePool.Tests.Faults;

/// <summary>What the child processes of the fault tests do.</summary>
internal static class ChildLoad
{
    /// <summary>Items that sleep at once.</summary>
    public const int Sleepers = 16;

    private const int Outstanding = 256;

    public static int Run(string[] arguments) => arguments switch
    {
        ["suspend", var load] => Suspend(load),
        ["smoke"] => Smoke(),
        ["nested"] => Nested(),
        ["leave", var folder] => Leave(folder),
        ["log", var file] => Log(file),
        ["files"] => Files(),
        ["few"] => Few(),
        ["agent"] => ChildAgent.Run(),
        ["guests", var what] => ChildGuests.Run(what),
        ["exit", var place] => Exit(place),
        ["handler", var when] => Handler(when),
        ["stress", .. var rest] => StressCommand.Run(rest, Console.Out),
        _ => 2,
    };

    // A closed loop of items until told to end. Hogs need cores + 1 threads at most, sleepers as many as there are items outstanding.
    private static int Suspend(string load)
    {
        using var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { MinThreads = 1 });
        using var room = new SemaphoreSlim(load == "hogs" ? Outstanding : Sleepers);
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
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"cores {cores} capped {isCapped} others {othersRun} rescues {pool.GetSnapshot().Rescues}"));
        return 0;
    }

    // Each task waits for its children, which nobody may run inline: a waiting worker per inner node.
    private static int Nested()
    {
        using var pool = new AdaptiveThreadPool();
        int Grow(int depth)
        {
            if (depth == 0)
            {
                return 1;
            }

            using var never = new CancellationTokenSource();
            Task<int>[] children =
                [pool.Factory.StartNew(() => Grow(depth - 1), TaskCreationOptions.PreferFairness),
                pool.Factory.StartNew(() => Grow(depth - 1), TaskCreationOptions.PreferFairness)];
            foreach (Task<int> child in children)
            {
                // A wait that can be cancelled is never run inline.
                child.Wait(never.Token);
            }

            return children.Sum(static child => child.Result);
        }

        int leaves = pool.Run(() => Grow(5)).Result;
        pool.Dispose();
        Console.ReadLine();
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"cores {Environment.ProcessorCount} leaves {leaves} rescues {pool.GetSnapshot().Rescues}"));
        return 0;
    }

    // Uses each kind of thread that a pool has, and leaves the pool as it is.
    private static int Leave(string folder)
    {
        var pool = new AdaptiveThreadPool(new AdaptivePoolOptions
        {
            DecisionLogFile = Path.Combine(folder, "decisions"),
        });
        Task.WaitAll([.. Enumerable.Range(0, 100).Select(_ => pool.Run(static () => Later().Wait()))]);
        return 7;
    }

    // Leaves the disposal to the end of the process, which an item brings about.
    private static int Exit(string place)
    {
        // What is stuck at the end ends soon. Where nothing is, a machine that stands still must not look like it.
        AdaptivePoolOptions options = new();
        options.DeadlockTimeout = place == "main" ? options.DeadlockTimeout : TimeSpan.FromMilliseconds(200);
        var pool = new AdaptiveThreadPool(options);
        int runs = 0;
        AppDomain.CurrentDomain.ProcessExit += (_, _) =>
        {
            pool.Dispose();
            Console.WriteLine(Volatile.Read(ref runs));
        };
        static void End() => Environment.Exit(9);
        switch (place)
        {
            case "worker":
                _ = pool.Run(End);
                break;
            case "elastic":
                _ = pool.Elastic.Run(End);
                break;
            case "long running":
                _ = pool.Factory.StartNew(End, TaskCreationOptions.LongRunning);
                break;
            case "other thread":
                _ = pool.Run(static () => Task.Run(End).Wait());
                break;
            default:
                for (int i = 0; i < 2_000; i++)
                {
                    _ = pool.Run(() => Interlocked.Increment(ref runs));
                }

                return 8;
        }

        Thread.Sleep(Timeout.Infinite);
        return 0;
    }

    // Asynchronous handlers throw, one on a thread of the pool's own and one here.
    private static int Handler(string when)
    {
        var told = new List<string>();
        using var all = new CountdownEvent(2);
        using var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { MaxClasses = 1 });
        pool.Faulted += (_, fault) =>
        {
            lock (told)
            {
                told.Add(fault.Message);
            }

            all.Signal();
        };
        async void Throw(string what)
        {
            if (when == "later")
            {
                await Task.Yield();
            }

            throw new InvalidOperationException(what);
        }

        EventHandler<AdaptivePool.Control.ControllerTrace> resized = null!;
        resized = (_, _) =>
        {
            pool.ClassResized -= resized;
            Throw("resized");
        };
        pool.ClassResized += resized;
        pool.Warned += (_, _) => Throw("warned");
        pool.GetClass("one more than there may be");
        pool.Resize(1, 4);
        bool areTold = all.Wait(Eventually.Patience);
        lock (told)
        {
            Console.WriteLine(string.Join(", ", told.Order(StringComparer.Ordinal)));
        }

        return areTold ? 6 : 3;
    }

    // Writes a decision log until it is asked to end.
    private static int Log(string file)
    {
        using var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { DecisionLogFile = file });
        while (Console.ReadLine() is { } line)
        {
            pool.Run(static () => { }).Wait();
            Console.WriteLine(line);
        }

        return 0;
    }

    // Items that block, more than there are threads: 40 are allowed, 30 are in use, and 10 are the runtime's.
    private static int Few()
    {
        using SystemFolder system = new SystemFolder("0-63").WithVersion2("/web");
        system.Write("/sys/fs/cgroup/web/pids.max", "40\n");
        system.Write("/sys/fs/cgroup/web/pids.current", "30\n");
        using var pool = new AdaptiveThreadPool(new AdaptivePoolOptions(), new PoolSurroundings { Root = system.Root });
        (int least, int bound) = (pool.GetSnapshot().MinThreads, pool.GetSnapshot().MaxThreads);
        using var open = new ManualResetEventSlim();
        Task[] items = [.. Enumerable.Range(0, 100).Select(_ => pool.Run(open.Wait))];
        Console.ReadLine();

        // What is too many comes with those that are not refused.
        SpinWait.SpinUntil(() => pool.GetSnapshot().PeakThreads >= bound, Eventually.Patience);
        SpinWait.SpinUntil(() => pool.GetSnapshot().PeakThreads > bound, TimeSpan.FromSeconds(1));
        int peak = pool.GetSnapshot().PeakThreads;
        open.Set();
        Task.WaitAll(items);
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"processors {Environment.ProcessorCount} least {least} bound {bound} peak {peak}"));
        return 0;
    }

    // Takes all files that the process may open, and looks at a worker that burns.
    private static int Files()
    {
        using var pool = new AdaptiveThreadPool();
        bool ends = false;
        Task hog = pool.Run(() =>
        {
            while (!Volatile.Read(ref ends))
            {
                Thread.SpinWait(1_000);
            }
        });
        SpinWait.SpinUntil(() => pool.GetSnapshot().Running > 0, Eventually.Patience);
        var watch = new WorkerWatch();
        Console.ReadLine();
        List<IDisposable> files = [];
        try
        {
            while (true)
            {
                files.Add(File.OpenHandle("/dev/null"));
            }
        }
        catch (IOException)
        {
            // None is left.
        }

        double begin = 0;
        bool isSeen = SpinWait.SpinUntil(
            () =>
            {
                watch.Look(pool.Set.Workers, begin += 0.01, begin, 0);
                return watch.CpuShare(pool.DefaultClass.Core) > 0;
            },
            TimeSpan.FromSeconds(5));
        files.ForEach(static file => file.Dispose());
        Volatile.Write(ref ends, true);
        hog.Wait();
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"seen {isSeen}"));
        return 0;
    }

    private static async Task Later()
    {
        await Task.Delay(5);
        await Task.Yield();
    }
}
