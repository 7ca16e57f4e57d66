using AdaptivePool.Workers;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>A worker with nothing but its place in the protocol.</summary>
internal sealed class ModelSleeper(int id) : Sleeper<ModelSync>(id, new FutexParking<ModelSync>())
{
    /// <summary>Sleeps until woken.</summary>
    /// <returns><see langword="false"/> when it is to end.</returns>
    public bool SleepUntilWoken() => Sleep();
}
