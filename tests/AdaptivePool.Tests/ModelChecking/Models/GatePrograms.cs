using AdaptivePool.Admission;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The protocol of the transaction gate: never more admitted than the limit in force, nobody waits beside a free permit, no permit lost or doubled, a
/// cancelled wait leaves no trace.</summary>
internal static class GatePrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("gate: two wait for one permit", TwoWait, Bounds.Long),
        new("gate: passes and one that waits", PassesAndWaiter, Bounds.Long),
        new("gate: a wait is cancelled while its permit comes", Cancelled, Bounds.Long),
        new("gate: a wait ends in vain while its permit comes", TimedOut, Bounds.Long),
        new("gate: the limit grows", Grown, Bounds.Long),
        new("gate: the limit shrinks", Shrunk, Bounds.Long),
        new("gate: disposed while somebody waits", Disposed, Bounds.Long),
        new("gate: past a full gate", Bypass, Bounds.Longest),
        new("gate: refused beside a release", Refused, Bounds.Long),
        new("gate: two groups", Groups, Bounds.Long),
        new("gate: nested leases end in any order", Nested, Bounds.Long),
    ];

    private static ModelProgram TwoWait()
    {
        ModelGate gate = new ModelGate(1).Full();
        return new ModelProgram([gate.EndPass, () => gate.Wait(), () => gate.Wait()], () => gate.Check());
    }

    // Whoever passes ends, so the one that waits is let in by somebody.
    private static ModelProgram PassesAndWaiter()
    {
        var gate = new ModelGate(1);
        ModelAnswer? answer = null;
        return new ModelProgram(
            [() => gate.PassOnce(most: 1), () => gate.PassOnce(most: 1, looksFirst: true), () => answer = gate.Wait()],
            () =>
            {
                gate.Check();
                ModelFailureException.Require(answer!.IsAdmitted, "nobody let it in");
            });
    }

    private static ModelProgram Cancelled()
    {
        ModelGate gate = new ModelGate(1).Full();
        ModelAnswer first = gate.Wait();
        ModelAnswer? second = null;
        return new ModelProgram(
            [gate.EndPass, () => gate.Core.CancelWait(first, CancellationToken.None), () => second = gate.Wait()],
            () =>
            {
                gate.Check();
                ModelFailureException.Require(first.IsAdmitted != second!.IsAdmitted && first.IsAdmitted != first.IsCancelled,
                    "the permit went to none or to both");
            });
    }

    private static ModelProgram TimedOut()
    {
        ModelGate gate = new ModelGate(1).Full();
        ModelAnswer wait = gate.Wait();
        return new ModelProgram(
            [gate.EndPass, gate.TimeOut, () => gate.PassOnce(most: 1)],
            () =>
            {
                ModelFailureException.Require(wait.IsAdmitted != (wait.Refusal is { Reason: RefusalReason.QueueTimeout }), "neither let in nor refused");
                gate.Check();
            });
    }

    private static ModelProgram Grown()
    {
        ModelGate gate = new ModelGate(1).Full();
        ModelAnswer first = gate.Wait();
        ModelAnswer? second = null;
        return new ModelProgram(
            [() => gate.Core.SetLimit(2), gate.EndPass, () => second = gate.Wait()],
            () =>
            {
                gate.Check();
                ModelFailureException.Require(first.IsAdmitted && second!.IsAdmitted, "room for two, and one waits");
            });
    }

    private static ModelProgram Shrunk()
    {
        ModelGate gate = new ModelGate(2).Full().Full();
        int shrunk = 0;
        return new ModelProgram(
            [
                () =>
                {
                    gate.Core.SetLimit(1);
                    ModelSync.VolatileWrite(ref shrunk, 1, string.Empty, 1);
                },
                gate.EndPass,
                () =>
                {
                    bool isShrunk = ModelSync.VolatileRead(ref shrunk, string.Empty, 2) != 0;
                    LeaseHold<ModelSync>? hold = gate.Enter();
                    ModelFailureException.Require(!isShrunk || hold is null, "let in past the limit in force");
                    if (hold is not null)
                    {
                        gate.Leave(hold);
                    }
                },
            ],
            () => gate.Check());
    }

    private static ModelProgram Disposed()
    {
        ModelGate gate = new ModelGate(1).Full();
        ModelAnswer first = gate.Wait();
        int late = 0;
        return new ModelProgram(
            [
                gate.Core.Close,
                gate.EndPass,
                () =>
                {
                    LeaseHold<ModelSync>? hold = null;
                    bool wasDisposed = gate.Core.IsDisposed;
                    try
                    {
                        hold = gate.Enter();
                    }
                    catch (ObjectDisposedException)
                    {
                        // As it should be.
                    }

                    ModelFailureException.Require(!wasDisposed || hold is null, "let into a disposed gate");
                    late = hold is null ? 0 : 1;
                },
            ],
            () =>
            {
                gate.Check(others: late);
                ModelFailureException.Require(first.Told == 1 && gate.Core.Queued == 0, "somebody still waits at a disposed gate");
                ModelFailureException.Require(!gate.Core.TryPass(looksFirst: false), "a disposed gate has its fast way open");
            });
    }

    private static ModelProgram Bypass()
    {
        ModelGate gate = new ModelGate(1).Full();
        ModelAnswer? answer = null;
        void Mend()
        {
            LeaseHold<ModelSync>? hold = gate.Enter(TransactionPriority.Admin);
            ModelFailureException.Require(hold is { TakesPermit: false }, "an administrator was kept out, or took a permit");
            gate.Leave(hold!);
        }

        return new ModelProgram(
            [
                Mend,
                () =>
                {
                    Mend();
                    gate.EndPass();
                },
                () => answer = gate.Wait(),
            ],
            () =>
            {
                gate.Check();
                ModelFailureException.Require(answer!.IsAdmitted && gate.Core.GetSnapshot() is { Privileged: 0, AdmittedPrivileged: 2 },
                    "the permit or an administrator was lost");
            });
    }

    private static ModelProgram Refused()
    {
        ModelGate gate = new ModelGate(1).Full();
        int entered = 0;
        return new ModelProgram(
            [
                gate.EndPass,
                () =>
                {
                    if (gate.Enter() is { } hold)
                    {
                        gate.Leave(hold);
                        entered++;
                    }
                },
                () => gate.PassOnce(most: 1),
            ],
            gate.CheckOpen);
    }

    private static ModelProgram Groups()
    {
        var gate = new ModelGate(1, static o => (o.GroupCount, o.GroupWeights["b"]) = (1, 2));
        LeaseHold<ModelSync> inside = gate.Enter(partition: "a")!;
        return new ModelProgram([() => gate.Leave(inside), () => gate.Wait("a"), () => gate.Wait("b")], () => gate.Check());
    }

    private static ModelProgram Nested()
    {
        var gate = new ModelGate(1);
        var lease = new Keys();
        ModelAnswer? answer = null;
        lease.Outer.Begin(gate.Enter()!);
        Cell ended = new();
        void Count((bool IsLast, bool IsOuter) end)
        {
            if (end.IsLast)
            {
                ModelSync.Increment(ref ended.Value, string.Empty, 1);
            }
        }

        return new ModelProgram(
            [
                () => Count(lease.Outer.End()),
                () =>
                {
                    if (lease.Outer.TryNest(out lease.Inner))
                    {
                        Count(lease.Inner.End());
                        Count(lease.Inner.End());
                    }

                    Count(lease.Outer.End());
                },
                () => answer = gate.Wait(),
            ],
            () =>
            {
                gate.Check();
                ModelFailureException.Require(answer!.IsAdmitted && ended.Value == 1, $"the transaction ended {ended.Value} times");
            });
    }

    /// <summary>Keys change in place.</summary>
    private sealed class Keys
    {
        public LeaseKey<ModelSync> Outer;
        public LeaseKey<ModelSync> Inner;
    }
}
