namespace AdaptivePool.Guests;

/// <summary>
/// What speaks for and against guests of one class that wait briefly: what the looks at the class have found, and the watch between them. One thread at a time
/// unless a member says otherwise. Holds no formula.
/// </summary>
/// <param name="turns">The turns of the watch.</param>
internal sealed class BriefGuests(LookTurns turns)
{
    private GuestCounts _last;
    private long _briefSinceLook;
    private bool _isBrief;
    private int _looksToEnd;
    private bool _isHeldUp;

    // Before the first turn: none yet.
    private long _heldUpIn = -2;

    /// <summary>Mean run time with all waits of the requests timed between the last two looks, in seconds; NaN for none.</summary>
    public double Mean { get; private set; } = double.NaN;

    /// <summary>The last known <see cref="Mean"/>; NaN for none.</summary>
    public double UsualMean { get; private set; } = double.NaN;

    /// <summary>Whether requests run on workers although the class is trusted. Any thread.</summary>
    public bool IsHeldUp => Volatile.Read(ref _isHeldUp);

    /// <summary>Called when trust was earned or lost: what was found before says nothing about what comes.</summary>
    /// <param name="counts">What the class has done so far.</param>
    /// <param name="wereBrief">Whether the requests since the last look count as brief to other classes, and not as others.</param>
    public void Restart(in GuestCounts counts, bool wereBrief)
    {
        _briefSinceLook += wereBrief ? counts.RequestsSince(_last) : 0;
        (_last, _isBrief, _looksToEnd) = (counts, false, 0);
        Volatile.Write(ref _isHeldUp, false);
    }

    /// <summary>Called when several guests sleep for long: by the watch, in each of its turns meanwhile.</summary>
    public void HoldUp()
    {
        Volatile.Write(ref _heldUpIn, turns.Now);
        Volatile.Write(ref _isHeldUp, true);
    }

    /// <summary>Looks at what the class has done.</summary>
    /// <param name="counts">What it has done so far.</param>
    /// <param name="isTrusted">Whether it has guests although its requests wait.</param>
    /// <param name="mayBegin">Whether it may have such guests.</param>
    /// <param name="taskWaits">Part of its waits that were for tasks.</param>
    /// <returns>Its requests since the last look, as far as they are brief.</returns>
    public long Look(in GuestCounts counts, bool isTrusted, bool mayBegin, double taskWaits)
    {
        long requests = counts.Completed - _last.Completed;
        long waits = counts.Waits - _last.Waits;
        long all = counts.RequestsSince(_last);
        long before = _briefSinceLook;
        Mean = counts.MeanSince(_last);
        UsualMean = double.IsNaN(Mean) ? UsualMean : Mean;
        (_last, _briefSinceLook) = (counts, 0);
        _isBrief = isTrusted ? BriefWaitRule.IsOver(requests, Mean) : mayBegin && BriefWaitRule.IsBrief(requests, waits, Mean, taskWaits);
        return before + (isTrusted || _isBrief ? all : 0);
    }

    /// <summary>Whether the hop of a class that has no guests costs more than it brings.</summary>
    /// <param name="look">The look at all classes.</param>
    public bool IsCostly(in BriefLook look) => _isBrief && BriefWaitRule.IsCostly(look);

    /// <summary>Whether something speaks against the guests of a class that is trusted.</summary>
    /// <param name="look">The look at all classes.</param>
    /// <returns>Why trust is to be lost; <see langword="null"/> where it is not.</returns>
    public TrustChange? Judge(in BriefLook look)
    {
        bool isHeldUp = IsHeldUp;
        TrustChange? change = BriefWaitRule.Ends(Mean, isHeldUp, look);

        // A look at workers may find no reason, because meanwhile there are no guests to cause one.
        _looksToEnd = change is not null ? _looksToEnd + 1 : isHeldUp ? _looksToEnd : 0;

        // What the watch found in the turn before holds until it has looked in this one.
        bool holdsUp = change is { } reason && BriefWaitRule.HoldsUp(reason, look.Idle);
        if (holdsUp || (change is null && _isBrief && turns.Now - Volatile.Read(ref _heldUpIn) > 1))
        {
            Volatile.Write(ref _isHeldUp, holdsUp);
        }

        return _looksToEnd >= BriefWaitRule.LooksToEnd ? change : null;
    }
}
