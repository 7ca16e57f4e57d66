using AdaptivePool.Admission;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The sleep of the loop that looks for a gate's limit: a transaction that ends beside a loop that falls asleep is counted by the loop, or calls
/// it.</summary>
internal static class LimitPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("limit: one ends while the loop falls asleep", static () => Sleep(ends: 1), Bounds.Default),
        new("limit: two end while the loop falls asleep", static () => Sleep(ends: 2), Bounds.Long),
        new("limit: no thread at first", NoThread, Bounds.Default),
    ];

    // The loop looks until it has counted all; the call is a monitor's pulse.
    private static ModelProgram Sleep(int ends)
    {
        Cell ended = new();
        Cell called = new();
        object parking = new();
        var doze = new LimitDoze<ModelSync>(() => ModelSync.RelaxedRead(ref ended.Value, string.Empty, 1), () => Call(parking, called));

        // The loop is awake, so that falling asleep is seen as a change or not at all.
        doze.WakeUp();
        called.Value = 0;
        void End()
        {
            ModelSync.RelaxedIncrement(ref ended.Value, string.Empty, 2);
            doze.WakeUp();
        }

        return new ModelProgram(
            [
                () =>
                {
                    int counted = 0;
                    while (counted != ends)
                    {
                        int now = ModelSync.RelaxedRead(ref ended.Value, string.Empty, 3);
                        if (now == counted && doze.TrySleep(counted))
                        {
                            Await(parking, called);
                        }

                        counted = now;
                    }
                },
                .. Enumerable.Repeat(End, ends),
            ],
            static () => { });
    }

    private static ModelProgram NoThread()
    {
        Cell calls = new();
        var doze = new LimitDoze<ModelSync>(static () => 0, () => ModelSync.Increment(ref calls.Value, string.Empty, 4) > 1);
        return new ModelProgram(
            [doze.WakeUp, doze.WakeUp],
            () =>
            {
                // One of the two found no thread; one that ends later tries again.
                doze.WakeUp();
                ModelFailureException.Require(ModelSync.RelaxedRead(ref calls.Value, string.Empty, 5) == 2, "nobody tried again, or too many did");
            });
    }

    private static bool Call(object parking, Cell called)
    {
        ModelSync.Enter(parking, string.Empty, 6);
        ModelSync.RelaxedWrite(ref called.Value, 1, string.Empty, 7);
        ModelSync.Pulse(parking, string.Empty, 8);
        ModelSync.Exit(parking, string.Empty, 9);
        return true;
    }

    private static void Await(object parking, Cell called)
    {
        ModelSync.Enter(parking, string.Empty, 10);
        while (ModelSync.RelaxedRead(ref called.Value, string.Empty, 11) == 0)
        {
            ModelSync.Wait(parking, string.Empty, 12);
        }

        ModelSync.RelaxedWrite(ref called.Value, 0, string.Empty, 13);
        ModelSync.Exit(parking, string.Empty, 14);
    }
}
