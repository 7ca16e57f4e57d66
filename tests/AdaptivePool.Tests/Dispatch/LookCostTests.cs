using AdaptivePool.Dispatch;
using AdaptivePool.Tests.ModelChecking;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>
/// What a look for work costs does not grow with the number of classes. Counted in operations on shared memory, as the model checker sees them.
/// </summary>
public sealed class LookCostTests : IDisposable
{
    private const int Few = 10;
    private const int Many = 200;
    private readonly Checker _checker = new();

    public void Dispose() => _checker.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void HasEligibleWork_ManyClasses_CostsLittleMoreThanFew(bool full) =>
        Steps(Many, full, static set => set.HasEligibleWork()).ShouldBeLessThanOrEqualTo(2 * Steps(Few, full, static set => set.HasEligibleWork()));

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void MissingThreads_ManyClasses_CostsLittleMoreThanFew(bool full) =>
        Steps(Many, full, static set => set.MissingThreads()).ShouldBeLessThanOrEqualTo(2 * Steps(Few, full, static set => set.MissingThreads()));

    /// <summary>Operations of a look while an item of the last class may run.</summary>
    /// <param name="classes">Classes that are there.</param>
    /// <param name="full">Whether work waits in each of the others, and their limits are reached; otherwise they are empty.</param>
    /// <param name="look">The look.</param>
    private int Steps(int classes, bool full, Action<WorkerSet<ModelSync>> look)
    {
        int steps = 0;
        Exploration found = _checker.Explore(
            () =>
            {
                var set = new WorkerSet<ModelSync>("many", 4, 0, 1, ThreadSource<ModelSync>.System, static _ => { }, mostClasses: classes, mostWorkers: 4);
                for (int i = 0; i < classes; i++)
                {
                    bool isLast = i == classes - 1;
                    var core = new ClassCore<ModelSync>($"{i}", startLimit: isLast ? 1 : 0, isInFlight: false);
                    set.AddClass(core);
                    if (full || isLast)
                    {
                        set.QueueRoot(core, "item", RootPlace.Normal);
                    }
                }

                return new ModelProgram(
                    [
                        () =>
                        {
                            int before = VirtualThread.Current!.Run.CurrentStep;
                            look(set);
                            steps = VirtualThread.Current.Run.CurrentStep - before;
                        },
                    ],
                    () => ModelFailureException.Require(set.HasEligibleWork(), "the item of the last class is not found"));
            },
            new RandomStrategy(seed: 1, runs: 1));
        found.Failure.ShouldBeNull();
        steps.ShouldBeGreaterThan(0);
        return steps;
    }
}
