namespace AdaptivePool.Internal;

/// <summary>A list of values that is filled and cleared again and again. It keeps its memory.</summary>
/// <remarks>
/// The framework's list of values is in no precompiled code, neither in the framework's nor in ours (ADR 58). Each process would compile a dozen methods for
/// each of them, while its first items wait for threads. This list of our own values is.
/// </remarks>
/// <typeparam name="T">
/// A structure of this assembly: with a number or a tuple, which are the framework's, the list is in no precompiled code either.
/// </typeparam>
internal sealed class ValueList<T>
    where T : struct
{
    // Some classes have work once: what is kept for each should be little.
    private const int Few = 4;

    private T[] _items = new T[Few];

    public int Count { get; private set; }

    public ref T this[int index] => ref _items[index];

    public void Add(T item)
    {
        if (Count == _items.Length)
        {
            var more = new T[2 * Count];
            Array.Copy(_items, more, Count);
            _items = more;
        }

        _items[Count++] = item;
    }

    /// <summary>Removes the first values.</summary>
    public void RemoveFirst(int count)
    {
        Array.Copy(_items, count, _items, 0, Count - count);
        Truncate(Count - count);
    }

    /// <summary>Keeps the first values only. What the others refer to is let go.</summary>
    public void Truncate(int count)
    {
        Array.Clear(_items, count, Count - count);
        Count = count;
    }
}
