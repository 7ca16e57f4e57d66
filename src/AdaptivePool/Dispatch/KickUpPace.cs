namespace AdaptivePool.Dispatch;

/// <summary>
/// How many turns of a class belong to work of lower priority so that it does not wait too long: as many as it needs, from the beginning of its wait on, and
/// no more. Turns that begin only when the work has waited too long come too late for all work that came with it. At most every second turn: the others stay
/// for the priorities, so that a backlog of low work that cannot be worked off in time does not hold up high work.
/// </summary>
internal sealed class KickUpPace
{
    /// <summary>A share of the turns is a number of parts out of this many.</summary>
    public const int All = 1 << ShareBits;

    /// <summary>Of this many such turns, <see cref="LowOf"/> belong to the low lane. Also the turns of a round of the lanes.</summary>
    public const int Parts = 16;

    private const int ShareBits = 16;

    /// <summary>Makes turns of a fourth, an eighth and so on begin with the second of a round: the first and the middle one belong to other lanes.</summary>
    private const ulong Phase = All - (All / Parts);

    /// <summary>Shortest time over which turns are counted.</summary>
    private const double RateSeconds = 0.02;

    private double _at = double.NaN;
    private int _turns;
    private double _perSecond;

    /// <summary>The share of the turns, in parts of <see cref="All"/>; 0 for none.</summary>
    public int Share { get; private set; }

    /// <summary>How many of <see cref="Parts"/> such turns belong to the low lane; the others belong to the normal one.</summary>
    public int LowOf { get; private set; }

    /// <summary>Whether a turn belongs to work of lower priority. Such turns are spread evenly.</summary>
    /// <param name="turn">Number of the turn.</param>
    /// <param name="share">See <see cref="Share"/>.</param>
    /// <param name="number">Its number among those turns, if it is one.</param>
    public static bool Has(uint turn, int share, out uint number)
    {
        ulong sum = (turn * (ulong)share) + Phase;
        number = unchecked((uint)(sum >> ShareBits));
        return (sum & (All - 1)) < (ulong)share;
    }

    /// <summary>Takes a look.</summary>
    /// <param name="now">Time in seconds.</param>
    /// <param name="turns">Turns of the class so far; may wrap around.</param>
    /// <param name="normal">Items of normal priority that must be taken in a second; infinite when some have waited too long.</param>
    /// <param name="low">The same of low priority.</param>
    public void Observe(double now, int turns, double normal, double low)
    {
        if (!(now - _at < RateSeconds))
        {
            double passed = unchecked(turns - _turns) / (now - _at);
            _perSecond = double.IsNaN(passed) ? 0 : _perSecond == 0 ? passed : (_perSecond + passed) / 2;
            (_at, _turns) = (now, turns);
        }

        double needed = normal + low;
        bool isDue = double.IsPositiveInfinity(needed);
        Share = isDue ? All / 2
            : needed <= 0 || _perSecond <= 0 ? 0
            : (int)Math.Ceiling(All * Math.Min(0.5, needed / _perSecond));
        LowOf = normal <= 0 ? Parts
            : low <= 0 ? 0
            : double.IsPositiveInfinity(normal) == double.IsPositiveInfinity(low) && isDue ? Parts / 2
            : Math.Clamp(isDue ? (double.IsPositiveInfinity(low) ? Parts : 0) : (int)(Parts * low / needed), 1, Parts - 1);
    }
}
