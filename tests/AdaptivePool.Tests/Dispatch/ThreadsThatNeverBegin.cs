using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>For tests that look at a worker while nothing of it runs.</summary>
internal sealed class ThreadsThatNeverBegin : ThreadSource
{
    public override bool TryStart(Action body, string name, int stackSize, out Exception? failure)
    {
        failure = null;
        return true;
    }
}
