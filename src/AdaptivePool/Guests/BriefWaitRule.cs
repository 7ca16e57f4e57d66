namespace AdaptivePool.Guests;

/// <summary>
/// When the requests of a class that waits briefly may run where the server put them. A hop to a worker costs CPU and brings other requests a short queue. So
/// it is left out where it brings nothing: where the machine is full and there are hardly any other requests, and where cores are idle and hardly any requests
/// wait at once.
/// </summary>
internal static class BriefWaitRule
{
    /// <summary>Time between two looks.</summary>
    public static readonly TimeSpan Period = TimeSpan.FromMilliseconds(200);

    /// <summary>A look that comes later does not know how full the machine was meanwhile.</summary>
    public static readonly TimeSpan Late = TimeSpan.FromMilliseconds(300);

    /// <summary>
    /// Looks with a reason to end until the class ends, unless a look at guests without a reason comes between. A stall of the database, or a gap between two
    /// bursts, is no reason to end.
    /// </summary>
    public const int LooksToEnd = 5;

    /// <summary>Requests in a look below which it says nothing.</summary>
    public const int FewestRequests = 64;

    /// <summary>Mean run time with all waits up to which a class may begin, in seconds: a statement or two, not a transaction.</summary>
    public const double LongestToBegin = 2e-3;

    /// <summary>Mean run time at which the class ends.</summary>
    public const double LongestToStay = 4e-3;

    /// <summary>Idle part of the machine up to which the CPU is what requests lack.</summary>
    public const double IdleToBegin = 0.05;

    /// <summary>Idle part of the machine from which more threads would bring more, so that the class belongs to workers.</summary>
    public const double IdleToEnd = 0.2;

    /// <summary>Idle part of the machine that sends requests to workers at once. A smaller part comes and goes within a look where few clients call.</summary>
    public const double IdleToHoldUp = 0.5;

    /// <summary>Idle part of the machine from which on a class may begin that has few requests at once.</summary>
    public const double IdleToBeginFew = 0.2;

    /// <summary>Idle part of the machine down to which such requests do not affect others.</summary>
    public const double IdleToStayFew = 0.1;

    /// <summary>Brief requests at once, on average and for each core, up to which a class may begin: of two threads, one is hardly ever waiting.</summary>
    public const double FewToBegin = 0.25;

    /// <summary>Brief requests at once up to which they do not affect others.</summary>
    public const double FewToStay = 0.5;

    /// <summary>Part of all requests that may be others: they wait behind the requests of the class.</summary>
    public const double MostOthers = 1.0 / 64;

    /// <summary>
    /// Part of the class's waits that may be for tasks. Such waits may need a thread of the runtime's pool to end, and could hold all of its threads.
    /// </summary>
    public const double MostTaskWaits = 1.0 / 64;

    /// <summary>
    /// Whether the requests of a class that run on workers are brief: they could be guests, and to classes with guests they do not count as others.
    /// </summary>
    /// <param name="requests">Requests since the last look.</param>
    /// <param name="waits">Their waits.</param>
    /// <param name="mean">Mean run time with all waits, in seconds; NaN when not known.</param>
    /// <param name="taskWaits">Part of the class's waits that was for tasks.</param>
    public static bool IsBrief(long requests, long waits, double mean, double taskWaits) =>
        requests >= FewestRequests && waits > 0 && mean <= LongestToBegin && taskWaits <= MostTaskWaits;

    /// <summary>Whether a hop costs more than it brings.</summary>
    /// <param name="look">What a look has found.</param>
    public static bool IsCostly(in BriefLook look) => (look.Idle <= IdleToBegin && look.Others <= MostOthers) || AreFew(look);

    /// <summary>Whether so few requests wait at once, on a machine with so many idle cores, that none waits behind another.</summary>
    /// <param name="look">What a look has found.</param>
    public static bool AreFew(in BriefLook look) => look.AtOnce <= FewToBegin && look.Idle >= IdleToBeginFew;

    /// <summary>Whether requests of a class that run on workers, because a guest of it was held up, show that this is over.</summary>
    /// <param name="requests">Their number since the last look.</param>
    /// <param name="mean">Mean run time with all waits, in seconds; NaN when not known.</param>
    public static bool IsOver(long requests, double mean) => requests >= FewestRequests && mean <= LongestToBegin;

    /// <summary>Why trust in a class whose requests are guests is lost; null where it is not.</summary>
    /// <param name="mean">Mean run time with all waits, in seconds; NaN when not known.</param>
    /// <param name="isHeldUp">Whether they run on workers meanwhile: requests that are not brief there are not let in again, and cost the class its
    /// trust.</param>
    /// <param name="look">What a look has found.</param>
    public static TrustChange? Ends(double mean, bool isHeldUp, in BriefLook look) =>
        mean > (isHeldUp ? LongestToBegin : LongestToStay) ? TrustChange.Slow
        : look.AtOnce <= FewToStay && look.Idle >= IdleToStayFew ? null
        : look.Others > MostOthers ? TrustChange.Others
        : look.Idle > IdleToEnd ? TrustChange.Idle
        : null;

    /// <summary>Whether such a reason sends requests to workers at once, before the class loses trust for it.</summary>
    /// <param name="reason">What <see cref="Ends"/> says.</param>
    /// <param name="idle">Idle part of the machine.</param>
    public static bool HoldsUp(TrustChange reason, double idle) => reason != TrustChange.Idle || idle > IdleToHoldUp;
}
