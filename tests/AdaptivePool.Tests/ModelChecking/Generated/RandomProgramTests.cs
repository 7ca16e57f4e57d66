using AdaptivePool.Tests.ModelChecking.Models;
using FsCheck;

namespace AdaptivePool.Tests.ModelChecking.Generated;

/// <summary>Programs that nobody thought of, over the queues and the sleep protocol.</summary>
public sealed class RandomProgramTests
{
    [Fact]
    public void Deque_AnyProgram_LosesAndDoublesNothing() => RandomPrograms.Check(QueueProgram.OfDeque);

    [Fact]
    public void Deque_InOrder_LosesAndDoublesNothing() => RandomPrograms.Check(QueueProgram.InOrder);

    [Fact]
    public void SleepProtocol_AnyProgram_LeavesNoWork() => RandomPrograms.Check(WakeProgram.Create);

    [Fact]
    public void ReadySet_AnyProgram_LosesNoNumber() => RandomPrograms.Check(ReadyProgram.Create);

    /// <summary>
    /// A check of the method: with one fence left out a program that fails is found, and made as short as the mistake needs: one or two items, and whoever
    /// meets there.
    /// </summary>
    [Fact]
    public void Deque_WithoutTheFenceOfThePop_IsFoundAndShrunk() =>
        RequireFoundAndShrunk(QueueProgram.OfDeque, "deque: last item", "TryPop", OperationKind.WriteAndFence, Weakening.NoFence, atMost: 4);

    [Fact]
    public void Deque_WithTopMovedInTwoSteps_IsFoundAndShrunk() =>
        RequireFoundAndShrunk(
            QueueProgram.InOrder,
            "deque: in order, takes and steals",
            "TryPopOldest",
            OperationKind.CompareExchange,
            Weakening.Split,
            atMost: 4);

    [Fact]
    public void SleepProtocol_WithoutTheFenceOfThePublisher_IsFoundAndShrunk() =>
        RequireFoundAndShrunk(WakeProgram.Create, "wake: going idle", "Publish", OperationKind.Fence, Weakening.Removed, atMost: 3);

    [Fact]
    public void ReadySet_WithoutTheFenceOfTheDrop_IsFoundAndShrunk() =>
        RequireFoundAndShrunk(
            ReadyProgram.Create,
            "ready: work arrives while its number is dropped",
            "Clear",
            OperationKind.CompareExchange,
            Weakening.NoFence,
            atMost: 5);

    private static void RequireFoundAndShrunk(Func<byte[], byte, ModelProgram> create, string program, string member, OperationKind kind, Weakening weakening,
        int atMost)
    {
        int shortest = int.MaxValue;
        using var checker = new Checker();
        Site site = checker.Explore(Suite.Get(program).Create, new RandomStrategy(seed: 1, runs: 60)).Sites.First(s => s.Member == member && s.Kind == kind);
        Should.Throw<Exception>(()
            => RandomPrograms.Check(create, new Mutation(site, weakening), operations
            => shortest = Math.Min(shortest, operations.Length))).Message.ShouldContain("schedule \"");
        shortest.ShouldBeLessThanOrEqualTo(atMost);
    }
}
