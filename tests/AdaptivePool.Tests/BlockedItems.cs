namespace AdaptivePool.Tests;

/// <summary>Root items of several classes that block until they are let go.</summary>
public sealed class BlockedItems : IDisposable
{
    private readonly SemaphoreSlim _open = new(0);
    private readonly Task[] _items;
    private int _running;
    private int _ended;
    private int _opened;

    public BlockedItems(AdaptiveThreadPool pool, int classes, int items) =>
        _items = [.. Enumerable.Range(0, items).Select(i => pool.GetClass("blocked " + (i % classes)).Run(Block))];

    /// <summary>Items that hold a thread now.</summary>
    public int Running => Volatile.Read(ref _running);

    public int Ended => Volatile.Read(ref _ended);

    /// <summary>Lets so many end.</summary>
    public void Open(int count)
    {
        _opened += count;
        _open.Release(count);
    }

    public void Dispose()
    {
        Open(_items.Length - _opened);
        Array.ForEach(_items, static item => Eventually.End(item));
        _open.Dispose();
    }

    private void Block()
    {
        Interlocked.Increment(ref _running);
        _open.Wait();
        Interlocked.Decrement(ref _running);
        Interlocked.Increment(ref _ended);
    }
}
