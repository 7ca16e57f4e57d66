using AdaptivePool.Sensing;

namespace AdaptivePool.Sizing;

/// <summary>
/// Decides how many threads may exist until the memory is read again, so that their memory cannot outrun the readings: a pool starts a thread a millisecond,
/// and an item takes its memory after that. Each thread of the last second counts with the memory that such a thread has been seen to take, and with at least
/// <see cref="LeastPerThread"/>. Memory that the thread has not taken yet is expected.
/// </summary>
/// <param name="limitShare">Use of a limit from which nothing grows.</param>
internal sealed class MemoryGrowthRule(double limitShare)
{
    /// <summary>
    /// Memory that a thread is expected to take until it is a second old. Where 160 MB are left 160 threads a second may start. A larger value would hold
    /// back blockers that take no memory in small containers. A smaller value would let in too many threads that take their memory late.
    /// </summary>
    private const double LeastPerThread = 1 << 20;

    /// <summary>
    /// One in so many of the threads that there is room for may start until the next reading. Items that take 16 times the expected memory are seen in time,
    /// also where they take it a reading later. With 160 MB left that is a thread every 2 ms, with 6 GB 200 threads at once.
    /// </summary>
    private const int PartOneIn = 32;

    /// <summary>
    /// One in so many of the bytes that have come lately is kept for the memory that the same threads take later. Items differ, and freed memory lies between
    /// memory that is in use.
    /// </summary>
    private const int KeptOneIn = 4;

    /// <summary>
    /// The most that is kept for one thread that has come meanwhile: a quarter of 16 times the expected memory. Other memory, such as the caches of an app
    /// that starts, does not belong to the threads.
    /// </summary>
    private const double MostKeptPerThread = LeastPerThread * 16 / KeptOneIn;

    /// <summary>The shortest time for which a thread counts as new.</summary>
    private static readonly TimeSpan s_new = TimeSpan.FromSeconds(1);

    /// <summary>The shortest time for which memory counts as recent. Memory that a process always holds is not kept for twice.</summary>
    private static readonly TimeSpan s_lately = TimeSpan.FromSeconds(30);

    // An array, because code of collections of own structs would be compiled while the first items wait.
    private Past[] _past = new Past[1];

    /// <summary>Takes a reading.</summary>
    /// <param name="now">Time since an arbitrary start; never goes back.</param>
    /// <param name="uses">Use of each limit, in the same order each time.</param>
    /// <param name="existing">Threads of the pool, those that are being started included.</param>
    /// <param name="pools">Pools that divide the free memory: all pools that do not sleep.</param>
    /// <returns>Threads of the pool that may exist.</returns>
    public int Look(TimeSpan now, MemoryUse[] uses, int existing, int pools)
    {
        if (limitShare >= 1)
        {
            // A user's setting: the pool grows until the system refuses.
            return int.MaxValue;
        }

        if (_past.Length < uses.Length)
        {
            var past = new Past[uses.Length];
            Array.Copy(_past, past, _past.Length);
            _past = past;
        }

        double room = double.PositiveInfinity;
        for (int i = 0; i < uses.Length; i++)
        {
            if (uses[i].IsKnown)
            {
                var reading = new Reading(now, uses[i].Used, existing);
                _past[i].Add(reading);
                double kept = Kept(_past[i].Lowest, reading);
                room = Math.Min(room, Room((limitShare * uses[i].Limit) - reading.Used - kept, _past[i].Before, reading));
            }
        }

        double part = Math.Ceiling(Math.Floor(room / Math.Max(1, pools)) / PartOneIn);
        return (int)Math.Min(existing + part, int.MaxValue);
    }

    /// <summary>Bytes that stay free for memory that the new threads take later.</summary>
    private static double Kept(in Reading lowest, in Reading now) =>
        Math.Min((now.Used - lowest.Used) / KeptOneIn, MostKeptPerThread * Math.Max(0, now.Existing - lowest.Existing));

    /// <summary>Number of further threads for which there is room.</summary>
    private static double Room(double free, in Reading before, in Reading now)
    {
        int started = Math.Max(0, now.Existing - before.Existing);
        double taken = Math.Max(0, now.Used - before.Used);

        // Where no thread is new, new memory does not belong to the threads. Otherwise an app that fills its caches would stop the growth of its pool.
        double perThread = started > 0 ? Math.Max(LeastPerThread, taken / started) : LeastPerThread;
        double expected = Math.Max(0, (started * perThread) - taken);
        return Math.Max(0, free - expected) / perThread;
    }

    private readonly record struct Reading(TimeSpan At, double Used, int Existing);

    /// <summary>
    /// A reading that is one to two times <see cref="s_new"/> old, and the one that replaces it; the lowest use over one to two times <see cref="s_lately"/>.
    /// </summary>
    private struct Past
    {
        private bool _isKnown;
        private Reading _next;
        private TimeSpan _lowestFrom;
        private Reading _lowestBefore;
        private Reading _lowestNow;

        public Reading Before { get; private set; }

        public readonly Reading Lowest => Lower(_lowestBefore, _lowestNow);

        public void Add(in Reading now)
        {
            if (!_isKnown || now.At - _next.At >= s_new)
            {
                Before = !_isKnown || now.At - _next.At >= 2 * s_new ? now : _next;
                _next = now;
            }

            if (!_isKnown || now.At - _lowestFrom >= s_lately)
            {
                _lowestBefore = !_isKnown || now.At - _lowestFrom >= 2 * s_lately ? now : _lowestNow;
                (_lowestFrom, _lowestNow) = (now.At, now);
            }

            _lowestNow = Lower(_lowestNow, now);
            _isKnown = true;
        }

        private static Reading Lower(in Reading a, in Reading b) => b.Used < a.Used ? b : a;
    }
}
