using AdaptivePool.Internal;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The sleep of the loop that looks for a gate's limit: a transaction that ends beside a loop that falls asleep is counted by the loop, or wakes
/// it.</summary>
internal static class LimitPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("limit: one ends while the loop falls asleep", static () => Sleep(ends: 1), Bounds.Default),
        new("limit: two end while the loop falls asleep", static () => Sleep(ends: 2), Bounds.Long),
        new("limit: the first ones start the thread", NoThread, Bounds.Default),
        new("limit: the end while the first one starts the thread", EndBesideStart, Bounds.Default),
    ];

    // The thread ends when it has counted all.
    private static ModelProgram Sleep(int ends)
    {
        Loop loop = new(ends);
        loop.Thread.IsStarted = true;

        // The thread is awake, so that falling asleep is seen as a change or not at all.
        loop.Thread.WakeUp();
        return new ModelProgram([loop.Thread.Run, .. Enumerable.Repeat<Action>(loop.End, ends)], static () => { });
    }

    private static ModelProgram NoThread()
    {
        Loop loop = new(ends: 2);
        return new ModelProgram(
            [loop.End, loop.End],
            () => ModelFailureException.Require(loop.Ends == 1, "more than one thread, or none"));
    }

    private static ModelProgram EndBesideStart()
    {
        Loop loop = new(ends: 2);
        return new ModelProgram(
            [loop.End, loop.Thread.Dispose],
            () => ModelFailureException.Require(loop.Ends == 1, "the end was told twice, or never"));
    }

    /// <summary>Counts transactions as the loop of a gate does.</summary>
    private sealed class Loop
    {
        private readonly Cell _ended = new();
        private readonly Cell _ends = new();
        private readonly int _all;
        private int _counted;

        public Loop(int ends)
        {
            _all = ends;
            Thread = new TimerThread<ModelSync>("limit", Look, hasWork: () => Ended != _counted, () => ModelSync.Increment(ref _ends.Value, string.Empty, 1));
        }

        public TimerThread<ModelSync> Thread { get; }

        public int Ends => ModelSync.RelaxedRead(ref _ends.Value, string.Empty, 2);

        private int Ended => ModelSync.RelaxedRead(ref _ended.Value, string.Empty, 3);

        /// <summary>A transaction ends.</summary>
        public void End()
        {
            ModelSync.RelaxedIncrement(ref _ended.Value, string.Empty, 4);
            Thread.WakeUp();
        }

        private TimeSpan? Look()
        {
            _counted = Ended;
            if (_counted == _all)
            {
                Thread.Dispose();
            }

            return null;
        }
    }
}
