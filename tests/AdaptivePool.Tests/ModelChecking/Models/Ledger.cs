namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>What the threads of a program took, each in a list of its own, and the law that every item is taken exactly once.</summary>
internal sealed class Ledger
{
    /// <summary>The number of whoever is no thread of the program: its preparation and its end.</summary>
    public const int Outside = Checker.MaxThreads;

    private readonly List<object>[] _taken = [.. Enumerable.Range(0, Checker.MaxThreads + 1).Select(static _ => new List<object>())];
    private readonly int[] _takes = new int[Checker.MaxThreads];

    /// <summary>Notes what a thread has taken; nothing is no item.</summary>
    public void Note(int thread, object? item)
    {
        if (item is not null)
        {
            _taken[thread].Add(item);
        }
    }

    /// <summary>The same for a program whose threads take a fixed number of times and keep nothing else: how a thread got there is forgotten.</summary>
    public void Take(int thread, object? item)
    {
        Note(thread, item);
        VirtualThread.Forget(HashCode.Combine(++_takes[thread], StateOf(thread)));
    }

    /// <summary>What a thread has taken, as a number.</summary>
    public int StateOf(int thread)
    {
        int state = 0;
        foreach (object item in _taken[thread])
        {
            state = HashCode.Combine(state, item);
        }

        return state;
    }

    public IReadOnlyList<object> By(int thread) => _taken[thread];

    /// <summary>Throws unless the items taken and those that are left are the expected ones.</summary>
    public void RequireAll(IEnumerable<string> expected, IEnumerable<object> left)
    {
        string[] found = [.. _taken.SelectMany(static t => t).Concat(left).Cast<string>().Order(StringComparer.Ordinal)];
        string[] wanted = [.. expected.Order(StringComparer.Ordinal)];
        ModelFailureException.Require(found.SequenceEqual(wanted, StringComparer.Ordinal),
            $"expected {string.Join(' ', wanted)}, found {string.Join(' ', found)}");
    }
}
