using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>A system that refuses the first threads.</summary>
internal sealed class RefusingThreads(int refusals) : ThreadSource<ModelSync>
{
    private int _refusals = refusals;

    public override bool TryStart(Action body, string name, int stackSize, out Exception? failure)
    {
        if (_refusals-- > 0)
        {
            failure = new OutOfMemoryException("injected");
            return false;
        }

        return base.TryStart(body, name, stackSize, out failure);
    }
}
