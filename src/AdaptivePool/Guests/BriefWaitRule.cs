namespace AdaptivePool.Guests;

/// <summary>
/// When the requests of a class that waits briefly may run where the server put them. A hop to a worker costs CPU and buys other requests a short queue. So it
/// is left out where it buys nothing: where the machine is full and there are hardly any others, and where cores are idle and hardly any wait at once.
/// </summary>
internal static class BriefWaitRule
{
    /// <summary>Time between two looks.</summary>
    public static readonly TimeSpan Period = TimeSpan.FromMilliseconds(200);

    /// <summary>A look that comes later does not know how full the machine was meanwhile.</summary>
    public static readonly TimeSpan Late = TimeSpan.FromMilliseconds(300);

    /// <summary>
    /// Looks with a reason to end until the class ends, if none at guests without one came between: a stall of the database, or a gap between two bursts, is
    /// none.
    /// </summary>
    public const int LooksToEnd = 5;

    /// <summary>Requests in a look below which it says nothing.</summary>
    public const int FewestRequests = 64;

    /// <summary>Mean run time with all waits up to which a class may begin, in seconds: a statement or two, not a transaction.</summary>
    public const double LongestToBegin = 2e-3;

    /// <summary>Mean run time at which it ends.</summary>
    public const double LongestToStay = 4e-3;

    /// <summary>Idle part of the machine up to which the CPU is what requests lack.</summary>
    public const double IdleToBegin = 0.05;

    /// <summary>Idle part of the machine from which more threads would bring more, so that the class belongs to workers.</summary>
    public const double IdleToEnd = 0.2;

    /// <summary>Idle part of the machine that sends requests to workers at once. Less comes and goes within a look where few clients call.</summary>
    public const double IdleToHoldUp = 0.5;

    /// <summary>Idle part of the machine from which a class may begin whose requests are few at once.</summary>
    public const double IdleToBeginFew = 0.2;

    /// <summary>Idle part of the machine down to which they are no matter to others.</summary>
    public const double IdleToStayFew = 0.1;

    /// <summary>Brief requests at once, on average and for each core, up to which a class may begin: of two threads one is hardly ever waiting.</summary>
    public const double FewToBegin = 0.25;

    /// <summary>Those up to which they are no matter to others.</summary>
    public const double FewToStay = 0.5;

    /// <summary>Part of all requests that may be others: they wait behind those of the class.</summary>
    public const double MostOthers = 1.0 / 64;

    /// <summary>Part of its waits that may be for tasks. They may end only by a thread of the runtime's pool, and would hold all of those.</summary>
    public const double MostTaskWaits = 1.0 / 64;

    /// <summary>Whether the requests of a class that run on workers are brief: they could be guests, and are no others to those that are.</summary>
    /// <param name="requests">Requests since the last look.</param>
    /// <param name="waits">Waits of them.</param>
    /// <param name="mean">Mean run time with all waits, in seconds; NaN when not known.</param>
    /// <param name="taskWaits">Part of the class's waits that was for tasks.</param>
    public static bool IsBrief(long requests, long waits, double mean, double taskWaits) =>
        requests >= FewestRequests && waits > 0 && mean <= LongestToBegin && taskWaits <= MostTaskWaits;

    /// <summary>Whether a hop costs more than it brings.</summary>
    /// <param name="look">What a look has found.</param>
    public static bool IsCostly(in BriefLook look) => (look.Idle <= IdleToBegin && look.Others <= MostOthers) || AreFew(look);

    /// <summary>Whether so few wait at once, on a machine with so many idle cores, that none stands behind another.</summary>
    /// <param name="look">What a look has found.</param>
    public static bool AreFew(in BriefLook look) => look.AtOnce <= FewToBegin && look.Idle >= IdleToBeginFew;

    /// <summary>Whether requests of a class that run on workers, because a guest of it was held up, say that this is over.</summary>
    /// <param name="requests">Those since the last look.</param>
    /// <param name="mean">Mean run time with all waits, in seconds; NaN when not known.</param>
    public static bool IsOver(long requests, double mean) => requests >= FewestRequests && mean <= LongestToBegin;

    /// <summary>Why trust in a class whose requests are guests is to be lost; null where it is not.</summary>
    /// <param name="mean">Mean run time with all waits, in seconds; NaN when not known.</param>
    /// <param name="isHeldUp">Whether they run on workers meanwhile: who is not brief there is not let in again, and is to be known for it.</param>
    /// <param name="look">What a look has found.</param>
    public static TrustChange? Ends(double mean, bool isHeldUp, in BriefLook look) =>
        mean > (isHeldUp ? LongestToBegin : LongestToStay) ? TrustChange.Slow
        : look.AtOnce <= FewToStay && look.Idle >= IdleToStayFew ? null
        : look.Others > MostOthers ? TrustChange.Others
        : look.Idle > IdleToEnd ? TrustChange.Idle
        : null;

    /// <summary>Whether such a reason sends requests to workers at once, before trust is lost by it.</summary>
    /// <param name="reason">What <see cref="Ends"/> says.</param>
    /// <param name="idle">Idle part of the machine.</param>
    public static bool HoldsUp(TrustChange reason, double idle) => reason != TrustChange.Idle || idle > IdleToHoldUp;
}
