using AdaptivePool.Tests.ModelChecking;
using AdaptivePool.Tests.ModelChecking.Models;
using Xunit.Abstractions;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>
/// What an item costs in operations that do not grow cheaper with more cores, on each way that work comes to a worker; docs/performance.md has the table. The
/// bounds are what was counted, rounded up: more is a change that one must want.
/// </summary>
/// <remarks>
/// Two workers. The cost of an item is that of 96 items less that of 32, by 64, so that what the first and the last one cost is left out
/// and what is passed on once in 32 items is in; the mean
/// of schedules in which threads change at one operation in eight.
/// </remarks>
public sealed class OperationCountTests(ITestOutputHelper output) : IDisposable
{
    private const int Few = 32;
    private const int Many = 96;
    private const int Schedules = 40;
    private const int ChangeOneIn = 8;
    private const int StepsPerItem = 400;
    private const int Workers = 2;

    /// <summary>Atomic updates of an item of one of two classes with work: as counted, rounded up. Who changed class after each item would have 6.6.</summary>
    private const double BoundOfTwoClasses = 4.7;

    /// <summary>Atomic updates, and words that move, of an item of a class whose limit is one worker of two.</summary>
    private const double BoundAtTheLimit = 2.2;

    private readonly Checker _checker = new();

    public void Dispose() => _checker.Dispose();

    [Theory]
    [InlineData(WorkWay.Root, 2.2, 1.1, 2.2)]
    [InlineData(WorkWay.Shared, 4.3, 1.2, 4.3)]
    [InlineData(WorkWay.Local, 1.1, 0.1, 0.1)]
    [InlineData(WorkWay.Fair, 1.1, 0.1, 0.1)]
    [InlineData(WorkWay.Posted, 1.1, 0.1, 0.1)]
    public void AnItem_CostsSoManyOperations(WorkWay way, double interlocked, double fences, double moves)
    {
        OperationCount item = OperationCount.ForEach(Count(way, Few), Count(way, Many), Many - Few);
        output.WriteLine($"{way}: {item.Interlocked:0.00} interlocked, {item.Fences:0.00} fences, {item.Moves:0.00} moves");
        item.Interlocked.ShouldBeLessThanOrEqualTo(interlocked);
        item.Fences.ShouldBeLessThanOrEqualTo(fences);
        item.Moves.ShouldBeLessThanOrEqualTo(moves);
        (item.Interlocked + item.Fences).ShouldBeGreaterThan(0);
    }

    // A worker goes on with the class whose slot it holds: who changed class for each item would give back one slot and take another each time.
    [Fact]
    public void AnItem_OfOneOfTwoClasses_LeavesItsWorkerThere()
    {
        OperationCount item = OperationCount.ForEach(Count(WorkWay.Root, Few, WorkWay.OtherClass), Count(WorkWay.Root, Many, WorkWay.OtherClass), Many - Few);
        output.WriteLine($"two classes: {item.Interlocked:0.00} interlocked, {item.Fences:0.00} fences, {item.Moves:0.00} moves");
        item.Interlocked.ShouldBeLessThanOrEqualTo(BoundOfTwoClasses);
    }

    // One worker at a time may run items of the class, so that its limit decides about each of them.
    [Fact]
    public void AnItem_OfAClassAtItsLimit_CostsSoManyOperations()
    {
        OperationCount item = OperationCount.ForEach(Count(WorkWay.Root, Few, limit: 1), Count(WorkWay.Root, Many, limit: 1), Many - Few);
        output.WriteLine($"at its limit: {item.Interlocked:0.00} interlocked, {item.Fences:0.00} fences, {item.Moves:0.00} moves");
        item.Interlocked.ShouldBeLessThanOrEqualTo(BoundAtTheLimit);
        item.Moves.ShouldBeLessThanOrEqualTo(BoundAtTheLimit);
    }

    [Theory]
    [InlineData("pass", 2.1, 0.2)]
    [InlineData("lease", 4.1, 0.7)]
    public void AGate_WithRoom_CostsSoManyOperations(string way, double interlocked, double moves)
    {
        OperationCount entry = OperationCount.ForEach(CountGate(way, Few), CountGate(way, Many), Many - Few);
        output.WriteLine($"{way}: {entry.Interlocked:0.00} interlocked, {entry.Fences:0.00} fences, {entry.Moves:0.00} moves");
        entry.Interlocked.ShouldBeLessThanOrEqualTo(interlocked);
        entry.Moves.ShouldBeLessThanOrEqualTo(moves);
        entry.Interlocked.ShouldBeGreaterThan(0);
    }

    private OperationCount CountGate(string way, int entries) => Explore(counts =>
    {
        var gate = new ModelGate(limit: 2 * Workers);
        var count = new OperationCount();
        int begun = 0;
        return new ModelProgram(
            [Enter, Enter],
            () =>
            {
                gate.Check();
                counts.Add(count);
            })
        {
            MaxSteps = StepsPerItem * entries,
        };

        void Enter()
        {
            // Each thread has a place of its own in the list, as it keeps one in a gate.
            int place = begun++;
            if (place == 0)
            {
                count.Begin();
            }

            for (int i = 0; i < entries / Workers; i++)
            {
                if (way == "pass")
                {
                    ModelFailureException.Require(gate.Core.TryPass(looksFirst: false), "a gate with room refused");
                    gate.Core.EndPass();
                }
                else
                {
                    gate.Leave(gate.Enter(place: place)!);
                }
            }
        }
    });

    private OperationCount Count(WorkWay way, int items, WorkWay? second = null, int limit = Workers) =>
        Explore(counts => Create(way, items, counts, second, limit));

    private OperationCount Explore(Func<List<OperationCount>, ModelProgram> create)
    {
        List<OperationCount> counts = [];
        Exploration found = _checker.Explore(() => create(counts), new RandomStrategy(seed: 1, Schedules, ChangeOneIn, isSequential: true));
        found.Failure.ShouldBeNull();
        return OperationCount.Mean(counts);
    }

    private static ModelProgram Create(WorkWay way, int items, List<OperationCount> counts, WorkWay? second, int limit)
    {
        var pool = new ModelPool(Workers, limit, Workers);
        pool.WarmUp(Workers);
        var count = new OperationCount();
        int ran = 0;
        bool isFromOutside = way is WorkWay.Root or WorkWay.Shared;
        return new ModelProgram(
            [
                () =>
                {
                    count.Begin();
                    for (int i = 0; i < (isFromOutside ? items : Workers); i++)
                    {
                        WorkWay each = second is { } other && i % 2 == 1 ? other : way;
                        pool.Queue(isFromOutside ? each : WorkWay.Shared, isFromOutside ? new Item(() => ran++) : new Item(() => Chain(items / Workers)));
                    }
                },
            ],
            () =>
            {
                ModelFailureException.Require(ran == items, $"{ran} of {items} ran");
                counts.Add(count);
            },
            pool.Dismiss)
        {
            OnRest = static () => { },
            MaxSteps = StepsPerItem * items,
        };

        // Each item queues the next one, as awaits and forks do.
        void Chain(int left)
        {
            ran++;
            if (left > 1)
            {
                pool.Queue(way, new Item(() => Chain(left - 1)));
            }
        }
    }

    private sealed class Item(Action body) : IThreadPoolWorkItem
    {
        public void Execute() => body();
    }
}
