using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>Threads that are started and never come to run: their workers are there, and a program does with them what it likes.</summary>
internal sealed class ThreadsNeverRun : ThreadSource<ModelSync>
{
    public override bool TryStart(Action body, string name, int stackSize, out Exception? failure)
    {
        failure = null;
        return true;
    }
}
