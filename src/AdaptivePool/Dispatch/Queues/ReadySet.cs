using System.Numerics;

namespace AdaptivePool.Dispatch.Queues;

/// <summary>
/// Which of many numbers have work, so that no thread looks at all of them: a hierarchical bitmap. Each number has a bit, each word of 64 bits that is not
/// zero has a bit above it, and so on up to one word; finding the next number costs a step for each level.
/// </summary>
/// <remarks>
/// A thread that makes a number ready: the change, full fence, <see cref="Note"/>, then look for a worker. A thread that looks (<see cref="Find"/>) drops
/// numbers that it finds not to be ready: clear the bit, a full fence, look again whether the number is ready, and if so set the bit again. So of a change and
/// a drop at least one sees the other, and a number that is ready is in the set. The note before a drop pays for it: a look costs no more than what was noted.
/// A word that becomes zero is dropped from the level above in the same way. Between the two steps other threads may find nothing there, so a thread that has
/// changed the set, or restored a part of it, looks for a worker afterwards.
/// </remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="capacity">Numbers go from 0 to one less than this.</param>
/// <param name="isReady">Whether a number is ready now; <see langword="false"/> for a number that is not in use.</param>
internal sealed class ReadySet<TSync>(int capacity, Func<int, bool> isReady)
    where TSync : struct, ISync
{
    private const int WordBits = 64;
    private const int WordShift = 6;
    private readonly long[][] _levels = Create(capacity);
    private PaddedLong _top;

    /// <summary>Numbers go from 0 to one less than this.</summary>
    public int Capacity { get; } = capacity;

    /// <summary>Whether the set is empty. As good as a look at each number, unless other threads are changing the set; they look afterwards.</summary>
    public bool IsEmpty
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _top.Value) == 0;
    }

    /// <summary>Notes that a number may be ready. Called after the change that made it so and a full fence.</summary>
    /// <returns>Whether the set was changed. The caller then looks for a worker. A full fence in that case.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    [BypassReadyToRun]
    public bool Note(int number) => ((TSync.RelaxedRead(ref Word(0, number >> WordShift)) >> number) & 1) == 0 && Set(0, number);

    /// <summary>The first number that is ready; drops those that are not.</summary>
    /// <param name="from">The first that is looked at.</param>
    /// <param name="to">The first that is no longer looked at.</param>
    /// <param name="restored">Set when other threads may have found less than there is. The caller then looks for a worker, whatever was found.</param>
    /// <returns>The number; -1 when there is none.</returns>
    public int Find(int from, int to, ref bool restored)
    {
        if (IsEmpty)
        {
            return -1;
        }

        for (int number = Next(from); number >= 0 && number < to; number = Next(number + 1))
        {
            if (isReady(number))
            {
                return number;
            }

            restored |= Drop(number);
        }

        return -1;
    }

    /// <summary>The first number of the set from one on, ready or not; -1 when there is none. Drops nothing.</summary>
    /// <param name="from">The first that is looked at.</param>
    public int Next(int from)
    {
        long[][] levels = _levels;
        int level = 0;
        int number = from;
        while (true)
        {
            int index = number >> WordShift;
            if (index >= (level < levels.Length ? levels[level].Length : 1))
            {
                return -1;
            }

            long bits = TSync.RelaxedRead(ref Word(level, index)) & (-1L << number);
            if (bits != 0)
            {
                number = (index << WordShift) + BitOperations.TrailingZeroCount(bits);
                if (level == 0)
                {
                    return number;
                }

                level--;
                number <<= WordShift;
            }
            else if (level == levels.Length)
            {
                return -1;
            }
            else
            {
                level++;
                number = index + 1;
            }
        }
    }

    private static long[][] Create(int capacity)
    {
        List<long[]> levels = [];
        for (int words = (capacity + WordBits - 1) / WordBits; words > 1; words = (words + WordBits - 1) / WordBits)
        {
            levels.Add(new long[words]);
        }

        return [.. levels];
    }

    // The level above the last array is the top.
    [BypassReadyToRun]
    private ref long Word(int level, int index)
    {
        long[][] levels = _levels;
        return ref level < levels.Length ? ref levels[level][index] : ref _top.Value;
    }

    private bool Drop(int number)
    {
        bool restored = Clear(0, number);
        return (isReady(number) && Set(0, number)) || restored;
    }

    private bool Set(int level, int number)
    {
        bool changed = false;
        while (true)
        {
            ref long word = ref Word(level, number >> WordShift);
            long bit = 1L << number;
            long before = TSync.RelaxedRead(ref word);
            while ((before & bit) == 0)
            {
                // A full fence. Pairs with Clear: a thread that clears the bit above sees this word filled, or the bit above is set after that. Pairs with
                // LieDown and LookAgain: a thread that looks for work afterwards sees the bit, or the caller sees it idle or without the token. Without the
                // fence a number stays while all park. Without the atomic update, one of two numbers in one word is lost.
                long seen = TSync.CompareExchange(ref word, before | bit, before);
                if (seen == before)
                {
                    changed = true;
                    break;
                }

                before = seen;
            }

            // The thread that filled the empty word sets the bit above it, and looks for a worker after that.
            if (before != 0 || level == _levels.Length)
            {
                return changed;
            }

            level++;
            number >>= WordShift;
        }
    }

    private bool Clear(int level, int number)
    {
        ref long word = ref Word(level, number >> WordShift);
        long bit = 1L << number;
        long before = TSync.RelaxedRead(ref word);
        while ((before & bit) != 0)
        {
            // A full fence, before the caller looks again at what the bit stands for: pairs with change, fence, look at the bit in Note, and with Set of the
            // level below. Without it a change that relied on the bit is missed.
            long seen = TSync.CompareExchange(ref word, before & ~bit, before);
            if (seen == before)
            {
                break;
            }

            before = seen;
        }

        if (before != bit || level == _levels.Length)
        {
            return false;
        }

        bool restored = Clear(level + 1, number >> WordShift);
        return (TSync.RelaxedRead(ref word) != 0 && Set(level + 1, number >> WordShift)) || restored;
    }
}
