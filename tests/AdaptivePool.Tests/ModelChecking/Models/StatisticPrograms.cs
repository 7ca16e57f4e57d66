using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>What is counted is never lost, and what is found is told once.</summary>
internal static class StatisticPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("statistics: a generation", Generation, Bounds.Long),
        new("statistics: service times", ServiceTimes, Bounds.Default),
        new("statistics: a blocker", Blocker, Bounds.Long),
        new("statistics: two add the same blocker", SameBlocker, Bounds.Long),
        new("statistics: two look at once", TwoLooks, Bounds.Default),
        new("statistics: a finding is told once", Finding, Bounds.Long),
    ];

    private static ModelProgram Generation()
    {
        var generation = new Generation<ModelSync>();
        void Add()
        {
            generation.AddCompleted(1);
            generation.AddTimed(2);
        }

        return new ModelProgram(
            [Add, Add],
            () => ModelFailureException.Require(
                generation is { Completed: 2, Timed: 2 } && Math.Abs(generation.ServiceSeconds - 4) < 1e-9
                    && Math.Abs(generation.ServiceSecondsSquared - 8) < 1e-9,
                "an item is not counted"));
    }

    private static ModelProgram ServiceTimes()
    {
        var times = new ServiceTimeHistogram<ModelSync>();
        return new ModelProgram(
            [() => times.Add(1), () => times.Add(1), () => times.Add(1e-3)],
            () =>
            {
                // 1 ms is more than a three thousandth of all; without one of the seconds it would be more than a fifteen hundredth.
                ModelFailureException.Require(times.Percentile(1.0 / 1_500) > 0.5 && times.Percentile(1.0 / 4_000) < 0.5, "a service time is lost");
            });
    }

    private static ModelProgram Blocker()
    {
        var entry = new BlockerEntry<ModelSync>("method", "kind", null, "class");
        return new ModelProgram(
            [() => entry.Add(TimeSpan.FromTicks(3)), () => entry.Add(TimeSpan.FromTicks(5)), () => entry.Add(TimeSpan.FromTicks(4))],
            () =>
            {
                Blocker seen = entry.Describe(0, TimeSpan.Zero, TimeSpan.Zero);
                ModelFailureException.Require(seen.Count == 3 && seen.TotalTime.Ticks == 12 && seen.LongestTime.Ticks == 5, "a wait is not counted");
            });
    }

    private static ModelProgram SameBlocker()
    {
        var table = new BlockerTable<ModelSync>();
        void Add() => table.Get("method", "kind", null, "class").Add(TimeSpan.FromTicks(1));
        return new ModelProgram(
            [Add, Add],
            () => ModelFailureException.Require(
                table.Entries.Where(static e => e.Method is not null).Select(static e => e.Describe(0, TimeSpan.Zero, TimeSpan.Zero))
                    .ToArray() is [{ Count: 2 }],
                "one blocker has two entries, or a wait is not counted"));
    }

    // Time for one look, and two that want it.
    private static ModelProgram TwoLooks()
    {
        var table = new BlockerTable<ModelSync>();
        long now = System.Diagnostics.Stopwatch.Frequency;
        while (table.TryTakeLook(now))
        {
            // Until none is left.
        }

        now += System.Diagnostics.Stopwatch.Frequency / BlockerTable<ModelSync>.LooksPerSecond;
        int taken = 0;
        void Take()
        {
            if (table.TryTakeLook(now))
            {
                taken++;
            }
        }

        return new ModelProgram([Take, Take], () => ModelFailureException.Require(taken == 1, $"{taken} looks are taken of one"));
    }

    private static ModelProgram Finding()
    {
        var table = new BlockerTable<ModelSync>();
        BlockerEntry<ModelSync> entry = table.Get("method", "kind", null, "class");
        int told = 0;
        void Find()
        {
            if (entry.NoteFinding())
            {
                table.NoteFindings();
            }
        }

        void Tell()
        {
            if (table.HasFindings)
            {
                told += table.TakeFindings().Length;
            }
        }

        return new ModelProgram(
            [Find, Find, Tell],
            () =>
            {
                Tell();
                ModelFailureException.Require(told == 1, $"a finding is told {told} times");
            });
    }
}
