namespace AdaptivePool.Sizing;

/// <summary>
/// Stops growth near the memory limit: a further thread takes memory that is then missing elsewhere, and a process that is killed completes no work. At least
/// one worker must be able to run, because its item may be the one that frees the memory. Where every worker is blocked and none has ended an item, or where
/// nothing moves, one more thread is allowed, and a further one after a while.
/// </summary>
/// <param name="limitShare">Use of the limit at which growth stops.</param>
internal sealed class MemoryGuardRule(double limitShare)
{
    /// <summary>How far use must fall below the limit share before growth is allowed again. A collection frees a few per cent for a moment.</summary>
    private const double Margin = 0.05;

    /// <summary>How long use must have stayed below that.</summary>
    private static readonly TimeSpan s_calm = TimeSpan.FromSeconds(2);

    /// <summary>How long work must have waited, without any item starting or ending, before one more worker is allowed although no worker was seen to wait. A
    /// blocking system call looks like running.</summary>
    private static readonly TimeSpan s_still = TimeSpan.FromSeconds(1);

    /// <summary>Time from one allowed thread to the next. Each may block as well, and a queue of blocking items must not fill the memory thread by
    /// thread.</summary>
    private static readonly TimeSpan s_pace = TimeSpan.FromSeconds(1);

    private TimeSpan? _calmSince;
    private TimeSpan? _allowedAt;
    private int _allowedBeside = -1;
    private TimeSpan _movedAt;
    private TimeSpan? _endedAt;
    private long _ended;
    private long _progress;
    private int _existing;

    /// <summary>Whether the limit is near, or was a moment ago.</summary>
    public bool Active { get; private set; }

    /// <summary>Whether growth is held back: the limit is near, or the threads that were started may take all memory that is left.</summary>
    public bool Holds { get; private set; }

    /// <summary>Takes one look.</summary>
    /// <param name="o">What is known.</param>
    /// <returns>Threads that may exist.</returns>
    public int Observe(in MemoryObservation o)
    {
        bool moved = o.Progress != _progress || o.Existing != _existing || !o.Waiting;
        (_progress, _existing) = (o.Progress, o.Existing);
        _movedAt = moved ? o.Now : _movedAt;
        _endedAt = o.Ended != _ended ? o.Now : _endedAt;
        _ended = o.Ended;
        Judge(o);
        Holds = Active || !o.HasRoom;
        if (!Holds)
        {
            return o.Most;
        }

        // Where items end, their workers take the waiting work. One more thread each second, each with its memory, would fill the memory that is left.
        bool blocked = o.Runnable == 0 && !(o.Now - _endedAt < s_still);
        bool needsOne = o.Waiting && (blocked || o.Now - _movedAt >= s_still);
        return Math.Max(1, o.Existing + (needsOne && MayAllow(o) ? 1 : 0));
    }

    /// <summary>Cuts the limit of a class to the limit in force. Threads that exist, or are allowed, and do not belong to a class yet are added.</summary>
    /// <param name="before">Limit in force.</param>
    /// <param name="wanted">Limit wanted.</param>
    /// <param name="free">
    /// Threads without work and threads that may be started, less the room that the limits in force leave to waiting work. On return, less what the class
    /// gets.
    /// </param>
    public static int Hold(int before, int wanted, ref int free)
    {
        int more = Math.Clamp(wanted - before, 0, Math.Max(0, free));
        free -= more;
        return Math.Min(wanted, before + more);
    }

    private bool MayAllow(in MemoryObservation o)
    {
        if (_allowedAt is { } at && o.Now - at < s_pace)
        {
            // A thread that was allowed and does not exist yet stays allowed.
            return o.Existing == _allowedBeside;
        }

        _allowedAt = o.Now;
        _allowedBeside = o.Existing;
        return true;
    }

    private void Judge(in MemoryObservation o)
    {
        if (o.UsedShare >= limitShare)
        {
            Active = true;
            _calmSince = null;
        }
        else if (o.UsedShare > limitShare - Margin)
        {
            _calmSince = null;
        }
        else
        {
            // This includes the case that use is no longer known.
            _calmSince ??= o.Now;
            Active &= o.Now - _calmSince < s_calm;
        }
    }
}
