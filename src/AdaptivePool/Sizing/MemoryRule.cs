using AdaptivePool.Control;

namespace AdaptivePool.Sizing;

/// <summary>
/// Remembers where the search for a class's size ended, and proposes that size when the same kind of work comes back. The proposal is one step of the ramp, of any length: it is tried and judged by its gain as every
/// other step, and forgotten when it is refused.
/// </summary>
/// <remarks>
/// A wait grows with the number of threads that wait for the same server, so work looks different at the size where a search begins and where it ends. An optimum is kept under both profiles: the one seen
/// first is what will be seen the next time.
/// </remarks>
internal sealed class MemoryRule(string className, OptimumMemory memory)
{
    // Sizes this close are the same: a trial of less is inside the noise of its own measurement.
    private static readonly double s_sameSize = Math.Log(1.1);

    // A profile passes through others on its way from one kind of work to the next.
    private static readonly TimeSpan s_lasting = TimeSpan.FromMilliseconds(50);

    private WorkloadProfile _begun;
    private WorkloadProfile _answered;
    private int _answer;
    private TimeSpan? _otherSince;
    private bool _hasTried;
    private WorkloadProfile _askedFor;
    private int _recalled;

    /// <summary>A size from the memory is on trial.</summary>
    public bool IsTrying { get; private set; }

    /// <summary>A search begins: what is seen now is the profile to find its result by.</summary>
    public void Begin()
    {
        _begun = default;
        _answer = 0;
        _otherSince = null;
        _hasTried = false;
        IsTrying = false;
    }

    /// <summary>The size to try next and what it brought; <see langword="null"/> for none.</summary>
    /// <param name="c">The class.</param>
    /// <param name="verified">The size in force.</param>
    /// <param name="most">Highest size allowed.</param>
    /// <param name="measured">The size in force has not been measured for this work yet: its profile is still that of the beginning.</param>
    public OptimumRecord? Propose(in ClassObservation c, int verified, int most, bool measured)
    {
        // Once per search: under noise two records of one kind of work would chase each other.
        if (IsTrying || !c.Profile.IsTelling)
        {
            return null;
        }

        if (!measured || !_begun.IsTelling)
        {
            _begun = c.Profile;
        }

        _askedFor = c.Profile;
        if (_hasTried || memory.Recall(className, c.Profile) is not { } record)
        {
            return null;
        }

        _recalled = record.Size;
        int size = Allowed(record.Size, verified, most);
        return IsSame(size, verified) ? null : record with { Size = size, IsDemandLimited = record.IsDemandLimited || size < record.Size };
    }

    /// <summary>Another kind of work with a size of its own has come back while the present size rests: known work need not wait for the change alarm.</summary>
    public bool HasReturned(in ClassObservation c, int size, int most)
    {
        bool differs = _answer > 0 && ProfileDistance.Between(c.Profile, _answered) > OptimumMemory.RecallDistance;
        bool other = differs && memory.Recall(className, c.Profile) is { } record && !IsSame(Allowed(record.Size, size, most), size);
        _otherSince = other ? _otherSince ?? c.Now : null;
        return _otherSince is { } since && c.Now - since >= s_lasting;
    }

    /// <summary>Takes what the ramp said: whether it tries the proposal, and what came of it.</summary>
    public void Follow(DecisionReason reason)
    {
        if (reason == DecisionReason.Remembered)
        {
            IsTrying = true;
            _hasTried = true;
            return;
        }

        if (IsTrying && reason is DecisionReason.RampRefused or DecisionReason.Ramp or DecisionReason.HogCap)
        {
            Forget();
        }

        IsTrying = false;
    }

    /// <summary>A measured size rests: it is the answer.</summary>
    public void Rest(in ClassObservation c, int size, double rate, bool isDemandLimited)
    {
        // The same size again although the work has changed meanwhile: nobody has looked whether it is the best for this work, too.
        bool unasked = _answer == size && ProfileDistance.Between(c.Profile, _answered) > OptimumMemory.RecallDistance;
        if (unasked || !WorkloadProfile.IsKnown(rate))
        {
            return;
        }

        (_answer, _answered) = (size, c.Profile);
        Replace(c.Profile, size, rate, isDemandLimited);
        Replace(_begun, size, rate, isDemandLimited);
    }

    // The newest answer is the one to be recalled: older ones of other sizes nearby would be tried in its place.
    private void Replace(in WorkloadProfile profile, int size, double rate, bool isDemandLimited)
    {
        while (memory.Recall(className, profile) is { } record && !IsSame(record.Size, size))
        {
            memory.Forget(className, profile);
        }

        memory.Remember(className, profile, size, rate, isDemandLimited);
    }

    // Both profiles of one search may match: all that led to the refused size goes.
    private void Forget()
    {
        while (memory.Recall(className, _askedFor) is { } record && IsSame(record.Size, _recalled))
        {
            memory.Forget(className, _askedFor);
        }
    }

    // A moment without a queue is no reason to shrink: the bound is for growth.
    private static int Allowed(int size, int verified, int most) => size > verified ? Math.Max(verified, Math.Min(size, most)) : size;

    private static bool IsSame(int size, int other) => Math.Abs(Math.Log((double)size / other)) < s_sameSize;
}
