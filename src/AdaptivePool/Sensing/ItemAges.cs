namespace AdaptivePool.Sensing;

/// <summary>How long each worker of a class has held its item, as one look saw it, without the time in which the process stood still.</summary>
internal sealed class ItemAges
{
    private readonly List<double> _waiting = [];
    private readonly List<double> _elsewhere = [];

    /// <summary>Items in flight.</summary>
    public int Count => _waiting.Count + _elsewhere.Count;

    /// <summary>Age of the oldest item, in seconds; 0 without items.</summary>
    public double Oldest { get; private set; }

    /// <summary>Adds one item.</summary>
    /// <param name="seconds">Its age, exact to a look: 0 for an item seen for the first time.</param>
    /// <param name="waits">Whether its thread waits or sleeps where the runtime sees it.</param>
    public void Add(double seconds, bool waits)
    {
        (waits ? _waiting : _elsewhere).Add(seconds);
        Oldest = Math.Max(Oldest, seconds);
    }

    /// <summary>Forgets all items.</summary>
    public void Clear()
    {
        _waiting.Clear();
        _elsewhere.Clear();
        Oldest = 0;
    }

    /// <summary>How many items are at least this old.</summary>
    /// <param name="seconds">The age, in seconds.</param>
    public (int Waiting, int Elsewhere) CountFrom(double seconds) => Oldest < seconds ? (0, 0) : (CountFrom(_waiting, seconds), CountFrom(_elsewhere, seconds));

    private static int CountFrom(List<double> ages, double seconds)
    {
        int count = 0;
        foreach (double age in ages)
        {
            count += age >= seconds ? 1 : 0;
        }

        return count;
    }
}
