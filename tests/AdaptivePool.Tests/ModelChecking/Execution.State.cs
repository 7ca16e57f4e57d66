using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>The state of a run as one number: two runs with equal states go on alike, so only one of them is followed.</summary>
internal sealed partial class Execution
{
    private readonly Dictionary<object, int> _names = new(ReferenceEqualityComparer.Instance);

    /// <summary>
    /// All that the rest of the run depends on: writes that somebody may still read, what each thread and the last fence have seen, what each thread did, and
    /// who runs.
    /// </summary>
    public ulong State()
    {
        ulong state = (ulong)(_running is { Status: ThreadStatus.Ready } ? _running.Id + 1 : 0);
        Span<int> oldest = stackalloc int[_locations.Count];
        oldest.Fill(int.MaxValue);
        foreach (VirtualThread thread in virtualThreads.AsSpan(0, _threads))
        {
            state = Mix(state, thread.History + (ulong)thread.Status + (thread.IsInterrupted ? 64UL : 0UL));
            if (thread.Foreseen is { } foreseen)
            {
                state = Mix(Mix(state, (ulong)foreseen.Location.Id + 7_000),
                    Mix((ulong)foreseen.Value.Number, (ulong)(foreseen.Value.Reference?.GetHashCode() ?? 0)));
            }

            if (thread.Status != ThreadStatus.Ended)
            {
                state = Mix(state, thread.BlockedOn is { } blocked && thread.Status != ThreadStatus.Ready ? (ulong)blocked.Id : 99);
                foreach (Location location in _locations)
                {
                    oldest[location.Id] = strategy.IsSequential ? location.Count - 1 : Math.Min(oldest[location.Id], thread.Seen.IndexOf(location.Id));
                }
            }
        }

        foreach (Location location in _locations)
        {
            state = Mix(state, (ulong)(location.Owner?.Id + 1 ?? 0));
            for (int i = Math.Min(oldest[location.Id], location.Count - 1); i < location.Count; i++)
            {
                Message message = location[i];
                state = Mix(state, ValueOf(message) + (message.IsUpdate ? 1UL : 0UL));
                state = Mix(state, message.View, oldest);
            }
        }

        if (strategy.IsSequential)
        {
            return state;
        }

        foreach (VirtualThread thread in virtualThreads.AsSpan(0, _threads))
        {
            if (thread.Status != ThreadStatus.Ended)
            {
                state = Mix(state, thread.Seen, oldest);
                state = Mix(state, thread.Pending, oldest);
                state = Mix(state, thread.Fenced, oldest);
            }
        }

        return Mix(state, _fences, oldest);
    }

    private static ulong Mix(ulong state, ulong value)
    {
        // Multiplication and shift of SplitMix64: any 64-bit mixer does.
        ulong mixed = (state ^ value) * 0x9E3779B97F4A7C15;
        return (mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9;
    }

    private static ulong Mix(ulong state, View? view, ReadOnlySpan<int> oldest)
    {
        for (int i = 0; view is not null && i < oldest.Length; i++)
        {
            int index = view.IndexOf(i);
            if (index > oldest[i])
            {
                state = Mix(state, ((ulong)i << 32) + (ulong)(index - oldest[i]));
            }
        }

        return Mix(state, 1);
    }

    private ulong ValueOf(Message message)
    {
        ulong reference = 0;
        if (message.Reference is string or int or ModelItem)
        {
            reference = (ulong)message.Reference.GetHashCode() + 1_000;
        }
        else if (message.Reference is { } other)
        {
            if (!_names.TryGetValue(other, out int name))
            {
                _names.Add(other, name = _names.Count + 1);
            }

            reference = (ulong)name;
        }

        return Mix((ulong)message.Number, reference);
    }
}
