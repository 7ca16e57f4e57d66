using System.Collections.Concurrent;
using AdaptivePool.Runtime;
using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Faults;

/// <summary>The system refuses one of the threads that a pool has beside its workers.</summary>
public sealed class OwnThreadRefusedTests : PoolTest
{
    [Theory]
    [InlineData("refused starter", 0)]
    [InlineData("refused blocking monitor", 1)]
    [InlineData("AdaptivePool runtime pool probe", 2)]
    [InlineData("refused sizing", 3)]
    public void Create_ThreadRefused_ThrowsAndLeavesNothing(string refused, int before)
    {
        var threads = new ThreadsByName(refused);
        var budget = new CpuBudget();
        var watch = new RuntimePoolWatch();
        InvalidOperationException failure = Should.Throw<InvalidOperationException>(() => new AdaptiveThreadPool(
            new AdaptivePoolOptions { Name = "refused" }, new PoolSurroundings { OwnThreads = threads, Budget = budget, RuntimePool = watch }));

        failure.Message.ShouldContain($"'{refused}'");
        failure.InnerException.ShouldBeOfType<OutOfMemoryException>();
        threads.Started.ShouldBe(before);
        budget.Count.ShouldBe(0, "nobody shares the cores with it");
        Eventually.Be(() => threads.Running == 0, "the threads that had been started end");

        // The next pool gets its thread.
        threads.Recover();
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions(), new PoolSurroundings { OwnThreads = threads, Budget = budget, RuntimePool = watch });
        Eventually.Result(pool.Run(static () => 1)).ShouldBe(1);
        pool.Dispose();
        Eventually.Be(() => threads.Running == 0, "the threads end with their pool");
    }

    [Fact]
    public void DecisionLogFile_ThreadRefused_CostsTheLogOnlyAndIsToldOnce()
    {
        var warnings = new ConcurrentQueue<string>();
        AdaptiveThreadPool pool = CreatePool(
            new AdaptivePoolOptions { DecisionLogFile = Path.Combine(Path.GetTempPath(), "never written"), MinThreads = 1, InitialThreads = 1 },
            new PoolSurroundings { OwnThreads = new ThreadsByName("decision log"), Budget = Budget, RuntimePool = null });
        pool.Warned += (_, message) => warnings.Enqueue(message);

        // More than one at a time only where sizing raises a limit.
        using var started = new CountdownEvent(3);
        using var open = new ManualResetEventSlim();
        Task[] items = [.. Enumerable.Range(0, 3).Select(i => pool.GetClass($"class {i % 2}").Run(() =>
        {
            started.Signal();
            open.Wait();
        }))];
        Eventually.Zero(started, "sizes are decided without the log");
        open.Set();
        Array.ForEach(items, static item => Eventually.End(item));
        pool.Dispose();
        pool.GetSnapshot().Faulted.ShouldBe(0);
        warnings.Count(static message => message.Contains("never written", StringComparison.Ordinal)).ShouldBe(1);
    }

    /// <summary>A system that refuses the threads of one name.</summary>
    private sealed class ThreadsByName(string refused) : ThreadSource
    {
        private string? _refused = refused;
        private int _running;

        public int Started { get; private set; }

        public int Running => Volatile.Read(ref _running);

        public void Recover() => _refused = null;

        public override bool TryStart(Action body, string name, int stackSize, out Exception? failure)
        {
            if (name == _refused)
            {
                failure = new OutOfMemoryException("injected");
                return false;
            }

            Started++;
            Interlocked.Increment(ref _running);
            return base.TryStart(
                () =>
                {
                    body();
                    Interlocked.Decrement(ref _running);
                },
                name,
                stackSize,
                out failure);
        }
    }
}
