using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>Slots: never more than the limit, except for those that come back from a wait.</summary>
internal static class ClassLimitPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("limit: one slot, three takers", OneSlot, Bounds.Default),
        new("limit: released slots come back", Released, Bounds.Default),
        new("limit: two slots, three takers", TwoSlots, Bounds.Long),
        new("limit: resize is seen with its generation", Resize, Bounds.Default),
        new("limit: back from a wait", Reacquire, Bounds.Default),
    ];

    private static ModelProgram OneSlot()
    {
        var limit = new ClassLimit<ModelSync>(1);
        Cell won = new();
        void Acquire()
        {
            if (limit.TryAcquire())
            {
                ModelSync.Increment(ref won.Value, string.Empty, 1);
            }
        }

        return new ModelProgram([Acquire, Acquire, Acquire], ()
            => ModelFailureException.Require(won.Value == 1 && limit.Active == 1, $"{won.Value} hold the one slot"));
    }

    private static ModelProgram Released()
    {
        var limit = new ClassLimit<ModelSync>(1);
        Cell inside = new(), most = new();
        void Work()
        {
            if (limit.TryAcquire())
            {
                if (ModelSync.Increment(ref inside.Value, string.Empty, 1) > 1)
                {
                    ModelSync.Exchange(ref most.Value, 2, string.Empty, 2);
                }

                ModelSync.Decrement(ref inside.Value, string.Empty, 3);
                limit.Release();
            }
        }

        return new ModelProgram(
            [Work, Work, Work],
            () => ModelFailureException.Require(most.Value == 0 && limit.Active == 0, "more than the limit were inside, or a slot is lost"));
    }

    private static ModelProgram TwoSlots()
    {
        var limit = new ClassLimit<ModelSync>(2);
        void Work()
        {
            if (limit.TryAcquire())
            {
                limit.Release();
            }
        }

        return new ModelProgram([Work, Work, Work], () => ModelFailureException.Require(limit.Active == 0, "a slot is lost"));
    }

    private static ModelProgram Resize()
    {
        var limit = new ClassLimit<ModelSync>(1);
        limit.TryAcquire();
        Cell generation = new(1);
        int[] seen = [2, 2];
        void Acquire(int taker)
        {
            if (limit.TryAcquire())
            {
                seen[taker] = ModelSync.Read(ref generation.Value, string.Empty, 1);
            }
        }

        return new ModelProgram(
            [
                () =>
                {
                    ModelSync.Write(ref generation.Value, 2, string.Empty, 2);
                    limit.Set(2);
                },
                () => Acquire(0),
                () => Acquire(1),
            ],
            () => ModelFailureException.Require(seen is [2, 2] && limit.Active <= 2, "an item of the new limit counts for the old generation"));
    }

    private static ModelProgram Reacquire()
    {
        var limit = new ClassLimit<ModelSync>(1);
        limit.TryAcquire();
        int won = 0;
        return new ModelProgram(
            [
                () =>
                {
                    limit.Release();
                    limit.Reacquire();
                    if (limit.IsOver)
                    {
                        limit.Release();
                        won--;
                    }
                },
                () => won += limit.TryAcquire() ? 1 : 0,
            ],
            () => ModelFailureException.Require(limit.Active == 1 + won && limit.Active >= 0, "active slots and their holders differ"));
    }
}
