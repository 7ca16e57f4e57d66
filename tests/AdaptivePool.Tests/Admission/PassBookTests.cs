using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

/// <summary>Passes of one thread that are open at once, ended in any order and more than once: each gives its permit back once.</summary>
public sealed class PassBookTests
{
    private const int Passes = 7;
    private const int Rounds = 50;

    [Fact]
    public void Passes_OpenAtOnceEndedInAnyOrder_GiveEachPermitBackOnce()
    {
        using var test = new TestGate(Passes);
        var dice = new Random(7);
        for (int round = 0; round < Rounds; round++)
        {
            int[] order = [.. Enumerable.Range(0, Passes)];
            dice.Shuffle(order);
            OpenAndEnd(test.Gate, order);
        }
    }

    private static void OpenAndEnd(TransactionGate gate, int[] order)
    {
        TransactionPass first = gate.AttemptPass();
        TransactionPass second = gate.AttemptPass();
        TransactionPass third = gate.AttemptPass();
        TransactionPass fourth = gate.AttemptPass();
        TransactionPass fifth = gate.AttemptPass();
        TransactionPass sixth = gate.AttemptPass();
        TransactionPass seventh = gate.AttemptPass();
        gate.GetSnapshot().Held.ShouldBe(Passes);
        TransactionPass stale = seventh;
        for (int i = 0; i < Passes; i++)
        {
            TransactionPass pass = order[i] switch
            {
                0 => first,
                1 => second,
                2 => third,
                3 => fourth,
                4 => fifth,
                5 => sixth,
                _ => seventh,
            };
            pass.Dispose();
            pass.Dispose();
            gate.GetSnapshot().Held.ShouldBe(Passes - i - 1);

            // A place is used again: what was ended ends nothing of who has it now.
            TransactionPass next = gate.AttemptPass();
            pass.Dispose();
            gate.GetSnapshot().Held.ShouldBe(Passes - i);
            next.Dispose();
            gate.GetSnapshot().Held.ShouldBe(Passes - i - 1);
        }

        stale.Dispose();
        gate.GetSnapshot().Held.ShouldBe(0);
    }
}
