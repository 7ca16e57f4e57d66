using AdaptivePool.Internal;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The sleep of a monitor: of who brings work and the thread that falls asleep at least one sees the other.</summary>
internal static class DozePrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("doze: work arrives", static () => WorkArrives(producers: 1), Bounds.Default),
        new("doze: work arrives twice", static () => WorkArrives(producers: 2), Bounds.Long),
        new("doze: the end", End, Bounds.Default),
        new("doze: the end of a pause", EndOfPause, Bounds.Default),
    ];

    private static ModelProgram WorkArrives(int producers)
    {
        Cell work = new();
        var doze = new Doze<ModelSync>(() => ModelSync.RelaxedRead(ref work.Value, string.Empty, 1) == producers);
        void Bring()
        {
            ModelSync.Increment(ref work.Value, string.Empty, 2);
            doze.WakeUp();
        }

        return new ModelProgram(
            [
                () =>
                {
                    while (ModelSync.RelaxedRead(ref work.Value, string.Empty, 3) != producers)
                    {
                        doze.Sleep();
                    }
                },
                .. Enumerable.Repeat(Bring, producers),
            ],
            static () => { });
    }

    private static ModelProgram End()
    {
        var doze = new Doze<ModelSync>(static () => false);
        return new ModelProgram(
            [
                () =>
                {
                    while (!doze.IsEnding)
                    {
                        doze.Sleep();
                    }
                },
                doze.End,
                doze.WakeUp,
            ],
            static () => { });
    }

    private static ModelProgram EndOfPause()
    {
        var doze = new Doze<ModelSync>(static () => false);
        return new ModelProgram(
            [
                () =>
                {
                    doze.Pause(TimeSpan.FromSeconds(1));
                    doze.Sleep();
                    ModelFailureException.Require(doze.IsEnding, "woken without an end");
                },
                doze.End,
            ],
            static () => { });
    }
}
