using AdaptivePool.Internal;

namespace AdaptivePool.Stress.Queues;

/// <summary>The machine itself, with a seeded pause before some of its operations, so that threads stop between accesses where they seldom would.</summary>
internal readonly unsafe partial struct YieldingSync : ISync
{
    private const int PauseOneIn = 64;

    [ThreadStatic]
    private static Dice t_dice;

    [ThreadStatic]
    private static bool t_isSeeded;

    /// <summary>Prepares the calling thread; others never pause.</summary>
    public static void Seed(int seed, int thread)
    {
        t_dice = new Dice(seed, thread + 1_000);
        t_isSeeded = true;
    }

    private static void Shake()
    {
        if (t_isSeeded)
        {
            t_dice.MayPause(PauseOneIn);
        }
    }
}
