using System.Text;
using AdaptivePool.Control;
using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

/// <summary>The file survives a restart; whatever is wrong with it is told once and harms nothing.</summary>
public sealed class OptimumMemoryFileTests : PoolTest, IDisposable
{
    private static readonly WorkloadProfile s_work = new() { Cores = 2, ActiveSeconds = 0.1 + 0.2, WaitingSeconds = 0.02, ActiveRounds = double.NaN, Connections = double.PositiveInfinity };
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;
    private readonly List<string> _warnings = [];

    private string FilePath => Path.Combine(_folder, "optima.json");

    public new void Dispose()
    {
        base.Dispose();
        Directory.Delete(_folder, recursive: true);
        GC.SuppressFinalize(this);
    }

    [Fact]
    public void Load_AfterARestart_SameRecordsInTheSameOrder()
    {
        OptimumMemory memory = new();
        using (OptimumMemoryFile file = Open(memory))
        {
            file.Load();
            memory.Remember("a \"b\"", s_work, 200, 10_000.1);
            memory.Remember("c", s_work, 8, 0.1 + 0.2, isDemandLimited: true);
            memory.Recall("a \"b\"", s_work);
        }

        OptimumMemory again = new();
        using OptimumMemoryFile second = Open(again);
        second.Load();

        again.ToList().ShouldBe(memory.ToList());
        _warnings.ShouldBeEmpty();
        Directory.GetFiles(_folder).ShouldHaveSingleItem();
    }

    [Fact]
    public void Load_NoFileYet_NoWarning()
    {
        using OptimumMemoryFile file = Open(new());
        file.Load();

        _warnings.ShouldBeEmpty();
        File.Exists(FilePath).ShouldBeFalse();
    }

    public static TheoryData<string, string> Bad => new()
    {
        { "", "JSON" },
        { "{", "" },
        { "null", "no memory of optima" },
        { "[]", "" },
        { "{\"format\":\"AdaptivePool optima\",\"version\":2,\"optima\":[]}", "version 2 is not known; this library reads version 1" },
        { "{\"format\":\"shopping list\",\"version\":1}", "no memory of optima" },
        { "{\"format\":\"AdaptivePool optima\",\"version\":1,\"optima\":null}", "has no optima" },
        { "{\"format\":\"AdaptivePool optima\",\"version\":1,\"optima\":[{\"className\":\"a\",\"profile\":{\"waitingSeconds\":1},\"size\":0,\"throughputPerSecond\":1}]}", "a record cannot be right" },
        { "{\"format\":\"AdaptivePool optima\",\"version\":1,\"optima\":[{\"className\":\"a\",\"profile\":{\"waitingSeconds\":1},\"size\":5,\"throughputPerSecond\":\"NaN\"}]}", "a record cannot be right" },
        { "{\"format\":\"AdaptivePool optima\",\"version\":1,\"optima\":[{\"className\":\"a\",\"profile\":{},\"size\":5,\"throughputPerSecond\":1}]}", "a record cannot be right" },
        { "{\"format\":\"AdaptivePool optima\",\"version\":1,\"optima\":[{\"size\":5}]}", "a record cannot be right" },
    };

    [Theory]
    [MemberData(nameof(Bad))]
    public void Load_Damaged_OneWarningAndNothingIsWrittenOverIt(string text, string reason)
    {
        File.WriteAllText(FilePath, text);
        OptimumMemory memory = new();
        using (OptimumMemoryFile file = Open(memory))
        {
            file.Load();
            file.Load();
            memory.Count.ShouldBe(0);
            memory.Remember("a", s_work, 200, 10_000);
            file.SaveIfChanged();
        }

        string warning = _warnings.ShouldHaveSingleItem();
        warning.ShouldContain(FilePath);
        warning.ShouldContain(reason);
        File.ReadAllText(FilePath).ShouldBe(text);
    }

    [Fact]
    public void Load_CutOffAnywhere_NeverHalfARecord()
    {
        OptimumMemory memory = new();
        memory.Remember("a", s_work, 200, 10_000);
        byte[] whole = OptimumMemoryDocument.Write(memory.ToList());
        for (int length = 0; length < whole.Length; length++)
        {
            File.WriteAllBytes(FilePath, whole[..length]);
            OptimumMemory read = new();
            _warnings.Clear();
            using OptimumMemoryFile file = Open(read);
            file.Load();
            read.Count.ShouldBe(0);
            _warnings.Count.ShouldBe(1);
        }
    }

    [Fact]
    public void Save_FolderIsMissing_OneWarning()
    {
        OptimumMemory memory = new();
        using (var file = new OptimumMemoryFile(Path.Combine(_folder, "missing", "optima.json"), memory, _warnings.Add, TimeSpan.Zero))
        {
            file.Load();
            for (int i = 0; i < 5; i++)
            {
                memory.Remember("a", s_work, 200 + i, 10_000);
                file.SaveIfChanged();
            }
        }

        _warnings.ShouldHaveSingleItem().ShouldContain("cannot be written");
    }

    [Fact]
    public void Load_IsAFolder_OneWarning()
    {
        Directory.CreateDirectory(FilePath);
        OptimumMemory memory = new();
        using (OptimumMemoryFile file = Open(memory))
        {
            file.Load();
            memory.Remember("a", s_work, 200, 10_000);
        }

        _warnings.ShouldHaveSingleItem().ShouldContain(FilePath);
    }

    [Fact]
    public void Save_ManyChangesWithinThePace_OneWriteThenTheLastState()
    {
        OptimumMemory memory = new();
        using (var file = new OptimumMemoryFile(FilePath, memory, _warnings.Add, TimeSpan.FromHours(1)))
        {
            file.Load();
            memory.Remember("a", s_work, 1, 10_000);
            file.SaveIfChanged();
            SpinWait.SpinUntil(() => File.Exists(FilePath), TimeSpan.FromSeconds(20)).ShouldBeTrue();
            for (int i = 2; i < 100; i++)
            {
                memory.Remember("a", s_work, i, 10_000);
                file.SaveIfChanged();
            }

            File.ReadAllText(FilePath).ShouldContain("\"size\": 1,");
        }

        File.ReadAllText(FilePath).ShouldContain("\"size\": 99,");
        _warnings.ShouldBeEmpty();
    }

    [Fact]
    public void MemoryFile_Damaged_PoolWarnsOnceAndWorks()
    {
        File.WriteAllText(FilePath, "{ half");
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MemoryFile = FilePath });
        var warned = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        pool.Warned += (_, e) => warned.TrySetResult(e.Message);

        Eventually.Result(pool.Run(static () => 3)).ShouldBe(3);
        Eventually.Result(warned.Task).ShouldContain(FilePath);
        Eventually.Result(pool.GetClass("other").Run(static () => 4)).ShouldBe(4);
    }

    [Fact]
    public void MemoryFile_PoolFindsASize_IsInTheFileAfterItsEnd()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MemoryFile = FilePath });
        WorkClass named = pool.GetClass("sleeps");
        using var stop = new CancellationTokenSource();
        Task[] load = [.. Enumerable.Range(0, 60).Select(_ => Loop(named, stop.Token))];

        bool found = SpinWait.SpinUntil(() => File.Exists(FilePath), TimeSpan.FromSeconds(30));
        stop.Cancel();
        Eventually.End(Task.WhenAll(load), "the load ends");
        Eventually.End(pool.DisposeAsync().AsTask(), "the pool ends");

        found.ShouldBeTrue("no size was remembered");
        OptimumMemoryDocument.Read(Encoding.UTF8.GetBytes(File.ReadAllText(FilePath))).ShouldContain(static r => r.ClassName == "sleeps" && r.Profile.WaitingSeconds > 0.001 && r.Size > 1);
    }

    private OptimumMemoryFile Open(OptimumMemory memory) => new(FilePath, memory, _warnings.Add);

    private static async Task Loop(WorkClass work, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            await work.Run(static () => Thread.Sleep(5), cancellationToken: CancellationToken.None).ConfigureAwait(false);
        }
    }
}
