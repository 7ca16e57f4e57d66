namespace AdaptivePool.Tests.SeedWave;

/// <summary>
/// Items that come one by one, whether those before have ended or not: while there are threads enough, what is completed is what comes, however long an item
/// takes.
/// </summary>
internal sealed class SteadyArrivals : IDisposable
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(2);

    private readonly WorkClass _class;
    private readonly Thread _source;
    private int _came;
    private bool _isOver;

    public SteadyArrivals(WorkClass workClass, Func<int, TimeSpan> serviceTime)
    {
        _class = workClass;
        _source = new(() => Send(serviceTime)) { IsBackground = true, Name = nameof(SteadyArrivals) };
        _source.Start();
    }

    public void Dispose()
    {
        Volatile.Write(ref _isOver, true);
        _source.Join(Eventually.Patience).ShouldBeTrue("the source ends");
    }

    // What comes late is not made up for: no burst follows.
    private void Send(Func<int, TimeSpan> serviceTime)
    {
        while (!Volatile.Read(ref _isOver))
        {
            TimeSpan service = serviceTime(_came++);
            _ = _class.Run(() => Thread.Sleep(service));
            Thread.Sleep(s_pause);
        }
    }
}
