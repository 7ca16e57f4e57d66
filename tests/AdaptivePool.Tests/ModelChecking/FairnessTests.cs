namespace AdaptivePool.Tests.ModelChecking;

/// <summary>A thread that looks again and again for what another is about to write gets an end, and a schedule in which it does means the same when it is
/// replayed.</summary>
public sealed class FairnessTests : IDisposable
{
    private readonly Checker _checker = new();

    public void Dispose() => _checker.Dispose();

    [Fact]
    public void Exhaust_TwoThatWakeEachOtherUntilAThirdWrites_AllGetTheirTurn()
    {
        Exploration found = _checker.Exhaust(() => WakeEachOther(static _ => { }), new Bounds(Preemptions: 1, Ages: 0, IsCoarse: true));
        found.Failure.ShouldBeNull();
        found.IsComplete.ShouldBeTrue();
    }

    [Fact]
    public void Exhaust_RunThatEndsBecauseAThreadMadeWay_IsReplayedAsItWas()
    {
        List<int> rounds = [];
        Exploration found = _checker.Exhaust(
            () => WakeEachOther(counted =>
            {
                rounds.Add(counted);
                ModelFailureException.Require(counted < 10, "many rounds");
            }),
            new Bounds(Preemptions: 1, Ages: 0, IsCoarse: true));
        found.Failure.ShouldNotBeNull();

        // The last but one that failed was run with fewer choice points than those that shortened it.
        rounds.Where(static r => r >= 10).Distinct().Count().ShouldBe(1);
    }

    // A baton goes to and fro between two threads; each time one sleeps, the other can go on, and so can the writer.
    private static ModelProgram WakeEachOther(Action<int> check)
    {
        int turn = 0;
        int written = 0;
        int rounds = 0;
        object gate = new();
        void Play(int me)
        {
            while (ModelSync.RelaxedRead(ref written, string.Empty, 1) == 0)
            {
                ModelSync.Enter(gate, string.Empty, 2);
                while (ModelSync.RelaxedRead(ref turn, string.Empty, 3) != me && ModelSync.RelaxedRead(ref written, string.Empty, 4) == 0)
                {
                    ModelSync.Wait(gate, string.Empty, 5);
                }

                rounds++;
                ModelSync.RelaxedWrite(ref turn, 1 - me, string.Empty, 6);
                ModelSync.Pulse(gate, string.Empty, 7);
                ModelSync.Exit(gate, string.Empty, 8);
            }

            ModelSync.Enter(gate, string.Empty, 9);
            ModelSync.RelaxedWrite(ref turn, 1 - me, string.Empty, 10);
            ModelSync.Pulse(gate, string.Empty, 11);
            ModelSync.Exit(gate, string.Empty, 12);
        }

        return new ModelProgram(
            [
                () => Play(0),
                () => Play(1),
                () =>
                {
                    ModelSync.Enter(gate, string.Empty, 13);
                    ModelSync.RelaxedWrite(ref written, 1, string.Empty, 14);
                    ModelSync.Pulse(gate, string.Empty, 15);
                    ModelSync.Exit(gate, string.Empty, 16);
                },
            ],
            () => check(rounds));
    }
}
