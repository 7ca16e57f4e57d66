using AdaptivePool.Internal;

namespace AdaptivePool.Sensing;

/// <summary>How long each worker of a class has held its item, as one look saw it, without the time in which the process stood still.</summary>
internal sealed class ItemAges
{
    private readonly ValueList<ItemAge> _items = new();

    /// <summary>Items in flight.</summary>
    public int Count => _items.Count;

    /// <summary>Age of the oldest item, in seconds; 0 without items.</summary>
    public double Oldest { get; private set; }

    /// <summary>Adds one item.</summary>
    /// <param name="seconds">Its age, exact to a look: 0 for an item seen for the first time.</param>
    /// <param name="waits">Whether its thread waits or sleeps where the runtime sees it.</param>
    public void Add(double seconds, bool waits)
    {
        _items.Add(new ItemAge(seconds, waits));
        Oldest = Math.Max(Oldest, seconds);
    }

    /// <summary>Forgets all items.</summary>
    public void Clear()
    {
        _items.Truncate(0);
        Oldest = 0;
    }

    /// <summary>How many items are at least this old.</summary>
    /// <param name="seconds">The age, in seconds.</param>
    public (int Waiting, int Elsewhere) CountFrom(double seconds)
    {
        (int waiting, int elsewhere) = (0, 0);
        for (int i = 0; i < _items.Count && Oldest >= seconds; i++)
        {
            ref readonly ItemAge item = ref _items[i];
            waiting += item.Waits && item.Seconds >= seconds ? 1 : 0;
            elsewhere += !item.Waits && item.Seconds >= seconds ? 1 : 0;
        }

        return (waiting, elsewhere);
    }

    private readonly record struct ItemAge(double Seconds, bool Waits);
}
