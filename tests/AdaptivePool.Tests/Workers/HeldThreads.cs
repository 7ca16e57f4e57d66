using System.Diagnostics;

namespace AdaptivePool.Tests.Workers;

/// <summary>A system whose threads begin late: when the test lets them.</summary>
internal sealed class HeldThreads : ThreadSource, IDisposable
{
    private readonly ManualResetEventSlim _begin = new();

    /// <summary>When the last thread was asked for.</summary>
    public long LastStarted { get; private set; }

    /// <summary>Lets them begin.</summary>
    public void LetGo() => _begin.Set();

    public override bool TryStart(Action body, string name, int stackSize, out Exception? failure)
    {
        LastStarted = Stopwatch.GetTimestamp();
        return System.TryStart(
            () =>
            {
                Eventually.Set(_begin, "the test lets the threads begin");
                body();
            },
            name,
            stackSize,
            out failure);
    }

    public void Dispose() => _begin.Dispose();
}
