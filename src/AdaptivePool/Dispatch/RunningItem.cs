using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch;

/// <summary>A worker that still runs the item of an earlier look.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="Worker">The worker.</param>
/// <param name="Seconds">For how long, at least.</param>
internal readonly record struct RunningItem<TSync>(Worker<TSync> Worker, double Seconds)
    where TSync : struct, ISync;
