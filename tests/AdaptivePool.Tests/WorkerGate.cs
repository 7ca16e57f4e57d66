namespace AdaptivePool.Tests;

/// <summary>Holds workers in an item until it is opened.</summary>
public sealed class WorkerGate : IDisposable
{
    private readonly ManualResetEventSlim _open = new();
    private readonly CountdownEvent _held;
    private readonly List<Task> _items = [];

    public WorkerGate(TaskFactory factory, int workers)
    {
        _held = new CountdownEvent(workers);
        for (int i = 0; i < workers; i++)
        {
            _items.Add(factory.StartNew(Hold));
        }

        Eventually.Zero(_held, "the items that hold the workers must start");
    }

    public void Open() => _open.Set();

    public void Dispose()
    {
        _open.Set();
        foreach (Task item in _items)
        {
            Eventually.End(item);
        }

        _open.Dispose();
        _held.Dispose();
    }

    private void Hold()
    {
        _held.Signal();
        _open.Wait();
    }
}
