namespace AdaptivePool.Sizing;

/// <remarks>What the thread does while no work waits.</remarks>
internal sealed partial class SizingLoop
{
    /// <summary>Time between looks while items run and none waits.</summary>
    private static readonly TimeSpan s_quietTick = TimeSpan.FromMilliseconds(100);

    // While no thread has work, threads end without a full look: code that runs once in a minute is never warm, and a look costs milliseconds.
    private void Sleep(double now)
    {
        while (true)
        {
            bool isAtRest = IsAtRest();
            if (isAtRest)
            {
                Housekeeper.Rest(now, MinThreads);
            }

            TimeSpan wait = Housekeeper.UntilRetirement(now, MinThreads);
            if (!isAtRest)
            {
                wait = wait >= TimeSpan.Zero && wait < s_quietTick ? wait : s_quietTick;
            }

            _time.AskFor(wait);
            if (!_doze.Sleep(wait))
            {
                return;
            }

            _cpu.Restart();
            if (!isAtRest || !IsAtRest() || IsCalled())
            {
                return;
            }

            now = LookAtClock();
            Housekeeper.EndThreads(now, MinThreads);
        }
    }

    private bool IsAtRest() =>
        Housekeeper.AreAllIdle && !_memoryGuard.Active && !_set.HasRead && !_sizings.Exists(static sizing => sizing.HoldsUnverified);

    // A thread that calls after this check rings a bell, which the next sleep hears.
    private bool IsCalled() => !ReferenceEquals(Wish, _obeyed) || _end.IsClosed || _set.NextUsed(0) is not null;

    // Finds a class that was marked after FollowClasses had passed it, and whose work has already run: no work waits, and the mark is told only once. Both
    // lists are in the order of the class numbers.
    private bool HasNewClass()
    {
        int followed = 1;
        for (ClassCore? used = _set.NextUsed(0); used is not null; used = _set.NextUsed(used.Number + 1))
        {
            while (followed < _sizings.Count && _sizings[followed].Core.Number < used.Number)
            {
                followed++;
            }

            if (followed >= _sizings.Count || _sizings[followed].Core != used)
            {
                return true;
            }
        }

        return false;
    }
}
