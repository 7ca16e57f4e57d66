using AdaptivePool.Admission;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>Permits, holds and the set of them: each permit has one holder, each turn of a hold one end, and a list shows what was true at one
/// moment.</summary>
internal static class LeasePrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("permits: one permit, three takers", OnePermit, Bounds.Default),
        new("permits: two permits, the limit shrinks", Shrunk, Bounds.Default),
        new("permits: the limit grows", Grown, Bounds.Default),
        new("holds: one hold, three takers", OneHold, Bounds.Long),
        new("holds: joined while it ends", Joined, Bounds.Long),
        new("holds: failed", FailedOnce, Bounds.Default),
        new("holds: joined by its number", JoinedByNumber, Bounds.Default),
        new("holds: an old key opens nothing", OldKey, Bounds.Default),
        new("holds: described as it is", Described, Bounds.Long),
        new("holds: one source to cancel", OneSource, Bounds.Default),
        new("leases: a list of one moment", OneMoment, Bounds.Long),
        new("leases: room for all", Room, Bounds.Longest),
        new("keys: seen through a context", Context, Bounds.Default),
        new("keys: a nested lease disposed twice at once", Twice, Bounds.Long),
        new("watch: a wait that begins while it looks", Watch, Bounds.Default),
    ];

    // What a holder wrote, the next one sees.
    private static ModelProgram OnePermit()
    {
        var permits = new Box<PermitWord<ModelSync>>(new PermitWord<ModelSync>(1, alwaysSlow: false));
        Cell guarded = new();
        int[] passed = new int[3];
        void Work(int thread)
        {
            bool mustAdmit = false;
            if (thread == 2 ? permits.Value.TryTakeExact(elseSlow: false) : permits.Value.TryTake(looksFirst: thread == 1, out mustAdmit))
            {
                ModelSync.Write(ref guarded.Value, ModelSync.Read(ref guarded.Value, string.Empty, 1) + 1, string.Empty, 2);
                passed[thread] = 1;
                mustAdmit = permits.Value.GiveBack();
            }

            ModelFailureException.Require(!mustAdmit, "nobody waits");
        }

        return new ModelProgram(
            [() => Work(0), () => Work(1), () => Work(2)],
            () => ModelFailureException.Require(permits.Value.Held == 0 && guarded.Value == passed.Sum(),
                "a permit is lost, or two had it, or one did not see what the other wrote"));
    }

    private static ModelProgram Grown()
    {
        var permits = new Box<PermitWord<ModelSync>>(new PermitWord<ModelSync>(1, alwaysSlow: false));
        permits.Value.TryTake(looksFirst: true, out _);
        Cell data = new();
        void Take()
        {
            if (permits.Value.TryTake(looksFirst: true, out _))
            {
                ModelFailureException.Require(ModelSync.Read(ref data.Value, string.Empty, 1) == 1, "in by the new limit without what was written before it");
            }
        }

        return new ModelProgram(
            [
                () =>
                {
                    ModelSync.Write(ref data.Value, 1, string.Empty, 2);
                    permits.Value.SetLimit(2);
                },
                Take,
                Take,
            ],
            () => ModelFailureException.Require(permits.Value.Held is 1 or 2, "more permits than the limit"));
    }

    private static ModelProgram Shrunk()
    {
        var permits = new Box<PermitWord<ModelSync>>(new PermitWord<ModelSync>(2, alwaysSlow: false));
        permits.Value.TryTake(looksFirst: true, out _);
        Cell shrunk = new();
        int[] taken = new int[2];
        void Take(int taker)
        {
            bool isShrunk = ModelSync.VolatileRead(ref shrunk.Value, string.Empty, 1) != 0;
            taken[taker] = permits.Value.TryTakeExact(elseSlow: false) ? 1 : 0;
            ModelFailureException.Require(!isShrunk || taken[taker] == 0, "taken past the limit in force");
        }

        return new ModelProgram(
            [
                () =>
                {
                    permits.Value.SetLimit(1);
                    ModelSync.VolatileWrite(ref shrunk.Value, 1, string.Empty, 2);
                },
                () => Take(0),
                () => Take(1),
            ],
            () => ModelFailureException.Require(permits.Value.Held == 1 + taken.Sum() && taken.Sum() <= 1 && permits.Value.Limit == 1,
                "permits and holders differ"));
    }

    private static ModelProgram OneHold()
    {
        var hold = new LeaseHold<ModelSync>(0, gate: null);
        Cell guarded = new(), begun = new();
        void Use()
        {
            if (hold.TryClaim(out long turn))
            {
                Begin(hold, turn, "a");
                ModelSync.Write(ref guarded.Value, ModelSync.Read(ref guarded.Value, string.Empty, 1) + 1, string.Empty, 2);
                ModelSync.Increment(ref begun.Value, string.Empty, 3);
                ModelFailureException.Require(hold.Leave(turn, isOuter: true, out _) && !hold.Leave(turn, isOuter: true, out _), "a turn ended not at all, or twice");
            }
        }

        return new ModelProgram([Use, Use, Use], ()
            => ModelFailureException.Require(!hold.IsUsed && hold.Turns == begun.Value && guarded.Value == begun.Value,
            "a turn is lost, or two had the hold, or one did not see what the other wrote"));
    }

    // The last one out gives the permit back: for all.
    private static ModelProgram Joined()
    {
        LeaseHold<ModelSync> hold = Begun(out long turn);
        Cell[] wrote = [new(), new(), new()];
        bool[] joined = [true, false, false];
        int[] ends = new int[3];
        void Leave(int thread)
        {
            ModelSync.Write(ref wrote[thread].Value, 1, string.Empty, 1);
            if (hold.Leave(turn, isOuter: thread == 0, out _))
            {
                ends[thread] = 1 + wrote.Count(static cell => ModelSync.Read(ref cell.Value, string.Empty, 2) == 1);
            }
        }

        void Join(int thread)
        {
            joined[thread] = hold.TryJoin(turn);
            if (joined[thread])
            {
                Leave(thread);
            }
        }

        return new ModelProgram(
            [() => Leave(0), () => Join(1), () => Join(2)],
            () =>
            {
                ModelFailureException.Require(ends.Count(static end => end > 0) == 1 && !hold.IsUsed && !hold.TryJoin(turn), "ended not once");
                ModelFailureException.Require(ends.Sum() == 1 + joined.Count(static isIn => isIn), "the last one out does not see what the others did");
            });
    }

    // What any lease of a transaction says, the last one out counts; the next transaction has not failed.
    private static ModelProgram FailedOnce()
    {
        LeaseHold<ModelSync> hold = Begun(out long turn);
        bool said = false;
        bool counted = false;
        return new ModelProgram(
            [
                () => counted |= hold.Leave(turn, isOuter: true, out bool hasFailed) && hasFailed,
                () =>
                {
                    if (hold.TryJoin(turn))
                    {
                        hold.SetFailed(turn, hasFailed: true);
                        said = true;
                        counted |= hold.Leave(turn, isOuter: false, out bool hasFailed) && hasFailed;
                    }
                },
                () =>
                {
                    if (hold.TryClaim(out long next))
                    {
                        Begin(hold, next, "b");
                        hold.SetFailed(turn, hasFailed: true);
                        ModelFailureException.Require(hold.Leave(next, isOuter: true, out bool hasFailed) && !hasFailed, "a failure of the turn before");
                    }
                },
            ],
            () => ModelFailureException.Require(counted == said, "a failure is lost"));
    }

    private static ModelProgram JoinedByNumber()
    {
        var hold = new LeaseHold<ModelSync>(0, gate: null);
        return new ModelProgram(
            [
                () =>
                {
                    if (hold.TryClaim(out long turn))
                    {
                        Begin(hold, turn, "b");
                    }
                },
                () =>
                {
                    if (hold.TryJoin(1))
                    {
                        ModelFailureException.Require(hold.Group == 2, "joined without what is known of it");
                        hold.Leave(1, isOuter: false, out _);
                    }
                },
            ],
            static () => { });
    }

    private static ModelProgram OldKey()
    {
        LeaseHold<ModelSync> hold = Begun(out long turn);
        bool[] ended = new bool[3];
        long second = 0;
        return new ModelProgram(
            [
                () => ended[0] = hold.Leave(turn, isOuter: true, out _),
                () =>
                {
                    if (hold.TryClaim(out long claimed))
                    {
                        Begin(hold, claimed, "b");
                        second = claimed;
                    }
                },
                () =>
                {
                    if (hold.TryJoin(turn))
                    {
                        ended[1] = hold.Leave(turn, isOuter: false, out _);
                    }

                    ended[2] = hold.Leave(turn, isOuter: true, out _);
                },
            ],
            () => ModelFailureException.Require(ended.Count(static end => end) == 1 && hold.IsUsed == (second != 0),
                "an old key ended a new turn, or a turn ended twice"));
    }

    private static ModelProgram Described()
    {
        LeaseHold<ModelSync> hold = Begun(out long turn);
        return new ModelProgram(
            [
                () =>
                {
                    hold.Leave(turn, isOuter: true, out _);
                    if (hold.TryClaim(out long next))
                    {
                        Begin(hold, next, "b");
                    }
                },
                () =>
                {
                    // More than once, so that a random walk meets the narrow place.
                    for (int i = 0; i < 4; i++)
                    {
                        TransactionLeaseInfo? info = hold.Describe(static _ => TimeSpan.Zero, out long seen, out int look);
                        ModelFailureException.Require(info is null || (info.Name, look) == (seen == turn ? ("a", 1) : ("b", 2)),
                            "one transaction described as another");
                    }
                },
            ],
            static () => { });
    }

    private static ModelProgram OneSource()
    {
        LeaseHold<ModelSync> hold = Begun(out _);
        CancellationTokenSource?[] seen = new CancellationTokenSource?[2];
        return new ModelProgram([() => seen[0] = hold.Cancellation(), () => seen[1] = hold.Cancellation()], ()
            => ModelFailureException.Require(ReferenceEquals(seen[0], seen[1]), "two sources"));
    }

    // One after another in different holds: never both in one list.
    private static ModelProgram OneMoment()
    {
        var leases = new LeaseSet<ModelSync>(gate: null, capacity: 2);
        int hint = 0;
        LeaseHold<ModelSync> first = leases.Add(default, 0, takesPermit: true, 0, ref hint);
        int most = 0;
        return new ModelProgram(
            [
                () =>
                {
                    first.Leave(first.Turns, isOuter: true, out _);
                    int other = 1;
                    leases.Add(default, 0, takesPermit: true, 0, ref other);
                },
                () => most = leases.ToList(static _ => TimeSpan.Zero).Count,
            ],
            () => ModelFailureException.Require(most <= 1 && leases.Added == 2, "a list shows two that were never inside together"));
    }

    private static ModelProgram Room()
    {
        var leases = new LeaseSet<ModelSync>(gate: null, capacity: 1);
        long[] ids = new long[3];
        void Add(int thread)
        {
            int hint = 0;
            LeaseHold<ModelSync> hold = leases.Add(default, 0, takesPermit: true, 0, ref hint);
            ids[thread] = hold.IdOf(hold.Turns);
        }

        return new ModelProgram(
            [() => Add(0), () => Add(1), () => Add(2)],
            () => ModelFailureException.Require(ids.Distinct().Count() == 3 && leases.ToList(static _ => TimeSpan.Zero).Count == 3,
                "two in one hold, or one in none"));
    }

    private static ModelProgram Context()
    {
        LeaseHold<ModelSync> hold = Begun(out long turn);
        var key = new Box<LeaseKey<ModelSync>>(default);
        return new ModelProgram(
            [
                () => key.Value.Begin(hold),
                () =>
                {
                    LeaseHold<ModelSync>? seen = key.Value.Hold;
                    ModelFailureException.Require(seen is null || key.Value.Turn == turn, "a hold without its turn");
                },
                () => ModelFailureException.Require(!key.Value.IsGivenUp, "a transaction that comes in was taken for one that never will"),
            ],
            static () => { });
    }

    private static ModelProgram Twice()
    {
        var gate = new ModelGate(1);
        var outer = new Box<LeaseKey<ModelSync>>(default);
        outer.Value.Begin(gate.Enter()!);
        outer.Value.TryNest(out LeaseKey<ModelSync> nested);
        outer.Value.TryNest(out LeaseKey<ModelSync> beside);
        var inner = new Box<LeaseKey<ModelSync>>(nested);
        var other = new Box<LeaseKey<ModelSync>>(beside);
        bool[] ended = new bool[2];
        return new ModelProgram(
            [() => ended[0] = inner.Value.End().IsLast, () => ended[1] = inner.Value.End().IsLast],
            () =>
            {
                gate.Check(others: 1);
                ModelFailureException.Require(ended is [false, false] && !outer.Value.End().IsLast && other.Value.End().IsLast,
                    "a nested lease ended twice took another one with it");
            });
    }

    private static ModelProgram Watch()
    {
        Cell waits = new();
        bool isSeen = false;
        var monitor = new TimerThread<ModelSync>(
            "model",
            () =>
            {
                isSeen |= ModelSync.Read(ref waits.Value, string.Empty, 1) != 0;
                return null;
            }) { IsStarted = true };
        return new ModelProgram(
            [
                monitor.Run,
                () =>
                {
                    ModelSync.Write(ref waits.Value, 1, string.Empty, 2);
                    monitor.Wake();
                },
            ],
            () => ModelFailureException.Require(isSeen, "nobody looks after one that waits"),
            monitor.Dispose);
    }

    private static LeaseHold<ModelSync> Begun(out long turn)
    {
        var hold = new LeaseHold<ModelSync>(0, gate: null);
        hold.TryClaim(out turn);
        Begin(hold, turn, "a");
        return hold;
    }

    private static void Begin(LeaseHold<ModelSync> hold, long turn, string name) => 
        hold.Begin(turn, new TransactionRequest { Name = name }, group: name == "a" ? 1 : 2, takesPermit: true, since: 0, look: name == "a" ? 1 : 2);

    /// <summary>A struct that changes in place.</summary>
    private sealed class Box<T>(T value)
        where T : struct
    {
        private T _value = value;

        public ref T Value => ref _value;
    }
}
