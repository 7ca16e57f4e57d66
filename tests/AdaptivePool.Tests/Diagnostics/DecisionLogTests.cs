using System.Collections.Concurrent;
using AdaptivePool.Admission;
using AdaptivePool.Control;
using AdaptivePool.Diagnostics;
using AdaptivePool.Simulation.Replay;
using AdaptivePool.Tests.Faults;

namespace AdaptivePool.Tests.Diagnostics;

/// <summary>The file: complete when closed, never in the way, and silent trouble is counted.</summary>
public sealed class DecisionLogTests : PoolTest, IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;

    private string LogPath => Path.Combine(_folder, "decisions.jsonl");

    public new void Dispose()
    {
        base.Dispose();
        Directory.Delete(_folder, recursive: true);
        GC.SuppressFinalize(this);
    }

    [Fact]
    public void Dispose_EverythingWritten_IsInTheFile()
    {
        using (var log = new DecisionLog(LogPath, DecisionLogHeader.ForHillClimbing()))
        {
            for (int i = 0; i < 1_000; i++)
            {
                log.Write(Start("a"));
            }

            log.Dispose();
            log.Dropped.ShouldBe(0);
        }

        File.ReadAllLines(LogPath).Length.ShouldBe(1_001);
    }

    [Fact]
    public void Write_FasterThanTheDisk_DropsCountsAndMarks()
    {
        using var log = new DecisionLog(LogPath, DecisionLogHeader.ForHillClimbing(), capacity: 1);
        for (int i = 0; i < 200_000; i++)
        {
            log.Write(Start("a"));
        }

        log.Dispose();
        using DecisionLogReader reader = DecisionLogReader.Open(LogPath);
        long written = 0;
        long marked = 0;
        while (reader.Read() is { } entry)
        {
            written += entry.Kind == DecisionLogKind.Start ? 1 : 0;
            marked += entry.Count;
        }

        (written + log.Dropped).ShouldBe(200_000);
        log.Dropped.ShouldBeGreaterThan(0);
        marked.ShouldBeGreaterThan(0);
        marked.ShouldBeLessThanOrEqualTo(log.Dropped);
    }

    [Fact]
    public void Write_PathIsAFolder_WarnsOnceAndGoesOn()
    {
        List<string> warnings = [];
        using (var log = new DecisionLog(_folder, DecisionLogHeader.ForHillClimbing(), warnings.Add))
        {
            for (int i = 0; i < 100; i++)
            {
                log.Write(Start("a"));
            }

            log.Dispose();
            log.Dropped.ShouldBe(100);
        }

        warnings.ShouldHaveSingleItem().ShouldContain(_folder);
    }

    [Fact]
    public void Dispose_ByWhoeverIsWarned_DoesNotWaitForTheLog()
    {
        using var made = new ManualResetEventSlim();
        using var returned = new ManualResetEventSlim();
        DecisionLog? log = null;
        log = new DecisionLog(_folder, DecisionLogHeader.ForHillClimbing(), _ =>
        {
            made.Wait();
            log!.Dispose();
            returned.Set();
        })
        {
            ClosePatience = Timeout.InfiniteTimeSpan,
        };
        made.Set();
        Eventually.Set(returned, "the log ends when whoever is warned has returned");
    }

    [Theory]
    [InlineData("deleted", "Could not find file")]
    [InlineData("replaced", "was replaced or changed by others.")]
    [InlineData("same length", "was replaced or changed by others.")]
    [InlineData("emptied", "was replaced or changed by others.")]
    public void Write_FileIsNoLongerTheOneWritten_WarnsOnceAndEnds(string how, string warning)
    {
        if (OperatingSystem.IsWindows() || (how == "same length" && !OperatingSystem.IsLinux()))
        {
            // Windows lets nobody delete, move or change a file that is open. Only Linux tells which file is open.
            return;
        }

        // Unix kept writing to the deleted file: nobody could read it, and the disk filled up. That of a link is the one that it leads to.
        string link = Path.Combine(_folder, "link.jsonl");
        File.CreateSymbolicLink(link, LogPath);
        ConcurrentQueue<string> warnings = [];
        using var log = new DecisionLog(link, DecisionLogHeader.ForHillClimbing(), warnings.Enqueue);
        for (int written = 1; written <= 2; written++)
        {
            log.Write(Start("a"));
            Eventually.Be(() => Lines().Length == 1 + written, "the log has the file");
        }

        Action change = how switch
        {
            "deleted" => () => File.Delete(LogPath),
            "replaced" => () =>
            {
                File.Move(LogPath, LogPath + ".1");
                File.WriteAllText(LogPath, "");
            },
            "same length" => () =>
            {
                File.Copy(LogPath, LogPath + ".1");
                File.Move(LogPath + ".1", LogPath, overwrite: true);
            },
            _ => () => File.OpenHandle(LogPath, FileMode.Truncate, FileAccess.Write, FileShare.ReadWrite).Dispose(),
        };
        change();
        log.Write(Start("a"));
        Eventually.Be(() => log.Dropped > 0, "the log has seen it");
        log.Write(Start("a"));
        log.Dispose();
        warnings.ShouldHaveSingleItem().ShouldContain(warning);
        log.Dropped.ShouldBe(2);
    }

    [Fact]
    public void Dispose_FileIsAPipeThatNobodyReads_WarnsAndEnds()
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        using (var make = System.Diagnostics.Process.Start("mkfifo", [LogPath]))
        {
            make.WaitForExit();
        }

        // Opening it waited for a reader, and a disposal for that.
        ConcurrentQueue<string> warnings = [];
        using var log = new DecisionLog(LogPath, DecisionLogHeader.ForHillClimbing(), warnings.Enqueue) { ClosePatience = Timeout.InfiniteTimeSpan };
        log.Write(Start("a"));
        log.Dispose();
        warnings.ShouldHaveSingleItem().ShouldContain("It is a pipe that nobody reads");
        log.Dropped.ShouldBe(1);
    }

    [Fact]
    public void DecisionLogFile_OfAGateCannotBeWritten_GateWarnsTheFirstWhoListens()
    {
        var options = new TransactionGateOptions { Adaptive = true, DecisionLogFile = Path.Combine(_folder, "missing", "decisions.jsonl") };
        using var gate = new TransactionGate(options);
        ConcurrentQueue<string> warnings = [];
        Eventually.Be(
            () =>
            {
                gate.Warned += Hear;
                gate.Warned -= Hear;
                return !warnings.IsEmpty;
            },
            "the warning waits for a handler");
        gate.Warned += Hear;
        gate.Dispose();
        warnings.ShouldHaveSingleItem().ShouldContain("decisions.jsonl");

        void Hear(object? sender, string message) => warnings.Enqueue(message);
    }

    [Fact]
    public void DecisionLogFile_PoolUnderLoad_ReplaysIdentically()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions
        {
            DecisionLogFile = LogPath,

            // Fewer than the load could use: without a queue no controller has anything to judge.
            MaxThreads = 24,
            HillClimbing = new() { MinSampleInterval = TimeSpan.FromMilliseconds(5), MaxSampleInterval = TimeSpan.FromMilliseconds(10),
                MinSampleCompletions = 1 },
        });
        using var stop = new CancellationTokenSource();
        WorkClass named = pool.GetClass("named");
        Task[] load = [.. Enumerable.Range(0, 40).Select(_ => Loop(named, stop.Token))];

        // The controller speaks once the ramp rests.
        bool spoken = SpinWait.SpinUntil(() => File.Exists(LogPath) && HasSteps(), TimeSpan.FromSeconds(20));
        stop.Cancel();
        Eventually.End(Task.WhenAll(load), "the load ends");
        Eventually.End(pool.DisposeAsync().AsTask(), "the pool ends");

        spoken.ShouldBeTrue("no controller took a step");
        using DecisionLogReader log = DecisionLogReader.Open(LogPath);
        IReadOnlyList<DecisionReplayResult> results = DecisionReplay.Run(log);
        results.ShouldAllBe(static r => r.IsIdentical);
        results.Sum(static r => r.Steps).ShouldBeGreaterThan(0);
        log.Note.ShouldBeNull();

        bool HasSteps()
        {
            using var reader = new StreamReader(new FileStream(LogPath, FileMode.Open, FileAccess.Read, FileShare.ReadWrite));
            return reader.ReadToEnd().Contains("\"kind\":\"Step\"", StringComparison.Ordinal);
        }
    }

    [Fact]
    public void DecisionLogFile_CannotBeWritten_PoolWarnsAndWorks()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { DecisionLogFile = Path.Combine(_folder, "missing", "decisions.jsonl") });
        var warned = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        pool.Warned += (_, message) => warned.TrySetResult(message);

        Eventually.Result(pool.Run(static () => 3)).ShouldBe(3);

        Eventually.Result(warned.Task).ShouldContain("decisions.jsonl");
    }

    [Fact]
    public void Write_AnotherLogHasTheFile_WarnsAndLeavesItAsItIs()
    {
        List<string> warnings = [];
        using (var first = new DecisionLog(LogPath, DecisionLogHeader.ForHillClimbing()))
        {
            first.Write(Start("a"));
            Eventually.Be(() => Lines().Length == 2, "the first has the file");
            using (var second = new DecisionLog(Path.Combine(_folder, ".", "decisions.jsonl"), DecisionLogHeader.ForHillClimbing(), warnings.Add))
            {
                second.Write(Start("b"));
                second.Dispose();
                second.Dropped.ShouldBe(1);
            }

            first.Write(Start("a"));
        }

        warnings.ShouldHaveSingleItem().ShouldContain("decisions.jsonl");
        Lines().Skip(1).ShouldBe(Enumerable.Repeat(Start("a").ToJson(), 2));

        // A pool that follows the first one has the file for itself.
        using (var third = new DecisionLog(LogPath, DecisionLogHeader.ForHillClimbing(), warnings.Add))
        {
            third.Write(Start("c"));
        }

        warnings.Count.ShouldBe(1);
        Lines().Skip(1).ShouldBe([Start("c").ToJson()]);
    }

    /// <summary>The options of the pool's own search are of no other controller: the steps of a user's were not logged either.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(true, true)]
    public void LogEnabled_False_EndsTheLogOfThePoolsOwnSearchOnly(bool isCustom, bool isLogged)
    {
        PoolSizing sizing = isCustom ? PoolSizing.Custom(static () => new HillClimbingController()) : PoolSizing.Adaptive;
        AdaptiveThreadPool pool =
            CreatePool(new AdaptivePoolOptions { DecisionLogFile = LogPath, Sizing = sizing, HillClimbing = new() { LogEnabled = false } });
        Eventually.Result(pool.Run(static () => 3)).ShouldBe(3);
        Eventually.End(pool.DisposeAsync().AsTask(), "the pool ends");
        File.Exists(LogPath).ShouldBe(isLogged);
    }

    [Fact]
    public void DecisionLogFile_OfAnotherPool_ThatPoolKeepsItAndThisOneWarns()
    {
        var options = new AdaptivePoolOptions { DecisionLogFile = LogPath };
        AdaptiveThreadPool first = CreatePool(options);
        Eventually.Result(first.Run(static () => 3)).ShouldBe(3);
        Eventually.Be(() => Lines().Length > 1, "the first has the file");

        AdaptiveThreadPool second = CreatePool(options);
        var warned = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        second.Warned += (_, message) => warned.TrySetResult(message);
        Eventually.Result(second.Run(static () => 4)).ShouldBe(4);

        Eventually.Result(warned.Task).ShouldBe(
            $"The decision log '{LogPath}' cannot be written and stops here: "
            + "Another pool or gate of this process writes it; each needs a DecisionLogFile of its own.");
    }

    [Fact]
    public void Write_AnotherProcessHasTheFile_WarnsAndLeavesItAsItIs()
    {
        if (OperatingSystem.IsMacOS())
        {
            return;
        }

        List<string> warnings = [];
        using (var child = new ChildRun("log", LogPath))
        {
            child.Ask("work");
            Eventually.Be(() => Lines().Length >= 2, "the child has the file");
            using (var second = new DecisionLog(LogPath, DecisionLogHeader.ForHillClimbing(), warnings.Add))
            {
                second.Write(Start("b"));
                second.Dispose();
                second.Dropped.ShouldBe(1);
            }

            child.End().ShouldBe(0);
        }

        warnings.ShouldHaveSingleItem().ShouldContain("decisions.jsonl");
        Lines().ShouldNotContain(Start("b").ToJson());
        using (var third = new DecisionLog(LogPath, DecisionLogHeader.ForHillClimbing(), warnings.Add))
        {
            third.Write(Start("c"));
        }

        Lines().Skip(1).ShouldBe([Start("c").ToJson()]);
    }

    [Fact]
    public void Write_AnotherLogHasTheFileUnderAnotherName_WarnsAndLeavesItAsItIs()
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        List<string> warnings = [];
        string link = Path.Combine(_folder, "link.jsonl");
        using (var first = new DecisionLog(LogPath, DecisionLogHeader.ForHillClimbing()))
        {
            first.Write(Start("a"));

            // Looking at the file must not end what keeps others out.
            Eventually.Be(() => Lines().Length == 2, "the first has the file");
            File.CreateSymbolicLink(link, LogPath);
            using (var second = new DecisionLog(link, DecisionLogHeader.ForHillClimbing(), warnings.Add))
            {
                second.Write(Start("b"));
                second.Dispose();
                second.Dropped.ShouldBe(1);
            }

            using var child = new ChildRun("log", LogPath);
            child.Ask("work");
            child.End().ShouldBe(0);
        }

        warnings.ShouldHaveSingleItem().ShouldContain("Another pool, gate or process writes it");
        Lines().Skip(1).ShouldBe([Start("a").ToJson()]);
    }

    private string[] Lines()
    {
        if (!File.Exists(LogPath))
        {
            return [];
        }

        using var reader = new StreamReader(new FileStream(LogPath, FileMode.Open, FileAccess.Read, FileShare.ReadWrite));
        return reader.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }

    private static DecisionLogEntry Start(string className) => new() { Kind = DecisionLogKind.Start, At = TimeSpan.Zero, ClassName = className };

    private static async Task Loop(WorkClass work, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            await work.Run(static () => Thread.Sleep(10), cancellationToken: CancellationToken.None).ConfigureAwait(false);
        }
    }
}
