namespace AdaptivePool.Stress.Surroundings;

/// <summary>Threads that burn CPU, so that the system stops workers anywhere.</summary>
internal sealed class BusyThreads : IDisposable
{
    private readonly Thread[] _threads;
    private bool _ends;

    public BusyThreads(int count)
    {
        _threads = [.. Enumerable.Range(0, count).Select(_ => new Thread(Burn) { IsBackground = true, Name = "busy" })];
        Array.ForEach(_threads, static t => t.Start());
    }

    public void Dispose()
    {
        Volatile.Write(ref _ends, true);
        Array.ForEach(_threads, static t => t.Join());
    }

    private void Burn()
    {
        while (!Volatile.Read(ref _ends))
        {
            Thread.SpinWait(1_000);
        }
    }
}
