namespace AdaptivePool.Sensing;

/// <summary>How long each worker of a class has held its item, as one look saw it, without the time in which the process stood still.</summary>
internal sealed class ItemAges
{
    private readonly List<(double Seconds, bool Waits)> _ages = [];

    /// <summary>Items in flight.</summary>
    public int Count => _ages.Count;

    /// <summary>Age of the oldest item, in seconds; 0 without items.</summary>
    public double Oldest { get; private set; }

    /// <summary>Adds one item.</summary>
    /// <param name="seconds">Its age, exact to a look: 0 for an item seen for the first time.</param>
    /// <param name="waits">Its thread waits, or sleeps, where the runtime sees it.</param>
    public void Add(double seconds, bool waits)
    {
        _ages.Add((seconds, waits));
        Oldest = Math.Max(Oldest, seconds);
    }

    /// <summary>Forgets all items.</summary>
    public void Clear()
    {
        _ages.Clear();
        Oldest = 0;
    }

    /// <summary>How many items are at least so old.</summary>
    /// <param name="seconds">The age, in seconds.</param>
    public (int Waiting, int Elsewhere) CountFrom(double seconds)
    {
        int waiting = 0;
        int elsewhere = 0;
        if (Oldest >= seconds)
        {
            foreach ((double age, bool waits) in _ages)
            {
                waiting += waits && age >= seconds ? 1 : 0;
                elsewhere += !waits && age >= seconds ? 1 : 0;
            }
        }

        return (waiting, elsewhere);
    }
}
