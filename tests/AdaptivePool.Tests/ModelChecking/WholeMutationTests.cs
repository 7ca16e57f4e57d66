using AdaptivePool.Tests.ModelChecking.Models;
using Xunit.Abstractions;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>
/// What only the programs over whole workers meet: each operation made weaker lets the named program fail. docs/memory-model.md has those that survive.
/// </summary>
public sealed class WholeMutationTests(ITestOutputHelper output) : IDisposable
{
    private readonly Checker _checker = new();

    public void Dispose() => _checker.Dispose();

    [Theory]
    [InlineData("OnEnd Fence Removed", "starter: work arrives while the last worker retires")]
    [InlineData("Sleep Exchange Unordered", "starter: work arrives while the last worker retires")]
    [InlineData("Sleep Exchange NoFence", "starter: work arrives while the last worker retires")]
    [InlineData("Lend Fence Removed", "emergency: a lent worker ends the deadlock")]
    [InlineData("Sequence VolatileRead Unordered", "worker: heartbeat")]
    [InlineData("IsOwedTo Fence Removed", "audit: whoever sees an item sees who is on the way to it")]
    [InlineData("IsOwedTo VolatileRead Unordered", "audit: whoever sees an item sees who is on the way to it")]
    [InlineData("Dispose VolatileWrite Unordered", "audit: whoever sees an item sees who is on the way to it")]
    [InlineData("TryPopOldest CompareExchange Unordered", "worker: own fair work put while the other lies down")]
    [InlineData("GoIdle ForgetInterrupt Removed", "interrupt: a worker sleeps on a futex")]
    [InlineData("EnqueueInFlight Increment Split", "block: the wait is for a queued item")]
    [InlineData("TryTakeInFlight Decrement Split", "stop: a worker spills while the holder of the slot ends")]
    [InlineData("Enter Increment Unordered", "guest: begins while the watch falls asleep")]
    [InlineData("Enter Increment NoFence", "guest: begins while the watch falls asleep")]
    [InlineData("Enter VolatileWrite Unordered", "guest: the watch asks whose it is while the next begins")]
    [InlineData("Sequence VolatileRead Unordered", "guest: the watch asks whose it is while the next begins")]
    [InlineData("OwnerOf VolatileRead Unordered", "guest: the watch asks whose it is while the next begins")]
    [InlineData("Sleep Exchange Unordered", "doze: work arrives")]
    [InlineData("Sleep Exchange NoFence", "doze: work arrives")]
    [InlineData("Ring Set Removed", "doze: work arrives")]
    [InlineData("WakeUp Fence Removed", "limit: one ends while the loop falls asleep")]
    [InlineData("Close CompareExchange Split", "end: closed twice while its thread falls asleep")]
    [InlineData("AddCompleted Add Split", "statistics: a generation")]
    [InlineData("AddTimed Add Split", "statistics: a generation")]
    [InlineData("AddTimed CompareExchange Split", "statistics: a generation")]
    [InlineData("Add CompareExchange Split", "statistics: a blocker")]
    [InlineData("Get RelaxedCompareExchange Split", "statistics: two add the same blocker")]
    [InlineData("TryTakeLook CompareExchange Split", "statistics: two look at once")]
    [InlineData("NoteFinding CompareExchange NoFence", "statistics: a finding is told once")]
    [InlineData("NoteFinding CompareExchange Split", "statistics: a finding is told once")]
    [InlineData("TakeFindings Fence Removed", "statistics: a finding is told once")]
    public void Mutant_OfWhatOnlyWholeProgramsMeet_IsKilled(string mutant, string by)
    {
        NamedProgram program = Suite.Get(by);
        Mutation[] mutations =
        [
            .. _checker.Exhaust(program.Create, Bounds.Crowded, atMost: 600).Sites.SelectMany(Mutation.Of)
                .Where(m => $"{m.Site.Member} {m.Site.Kind} {m.Weakening}" == mutant),
        ];
        mutations.ShouldNotBeEmpty();
        foreach (Mutation mutation in mutations)
        {
            Failure? failure = _checker.Explore(program.Create, new RandomStrategy(seed: 11, runs: 100), mutation).Failure
                ?? _checker.Exhaust(program.Create, program.Bounds, mutation).Failure;
            output.WriteLine($"{mutation}: {failure?.Message} \"{failure?.Schedule}\"");
            failure.ShouldNotBeNull();
        }
    }
}
