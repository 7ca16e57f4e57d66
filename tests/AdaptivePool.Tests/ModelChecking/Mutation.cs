namespace AdaptivePool.Tests.ModelChecking;

/// <summary>One operation made weaker than it is written.</summary>
internal sealed record Mutation(Site Site, Weakening Weakening)
{
    /// <summary>
    /// All mutations of an operation that could change what other threads see. Plain and relaxed accesses promise no order, and trusted queues and the sleep
    /// itself stay as they are.
    /// </summary>
    public static IEnumerable<Mutation> Of(Site site) => site.Kind switch
    {
        OperationKind.VolatileRead or OperationKind.VolatileWrite => [new(site, Weakening.Unordered)],
        OperationKind.Exchange or OperationKind.CompareExchange or OperationKind.Increment or OperationKind.Decrement
            => [new(site, Weakening.Unordered), new(site, Weakening.NoFence), new(site, Weakening.Split)],
        OperationKind.WriteAndFence => [new(site, Weakening.Unordered), new(site, Weakening.NoFence)],
        OperationKind.OrderedExchange or OperationKind.OrderedCompareExchange or OperationKind.OrderedIncrement or OperationKind.OrderedDecrement
            => [new(site, Weakening.Unordered), new(site, Weakening.Split)],
        OperationKind.RelaxedCompareExchange or OperationKind.RelaxedIncrement or OperationKind.RelaxedDecrement or OperationKind.Add
            => [new(site, Weakening.Split)],
        OperationKind.Fence or OperationKind.FutexWake or OperationKind.Pulse or OperationKind.Set or OperationKind.ForgetInterrupt
            => [new(site, Weakening.Removed)],
        _ => [],
    };

    public override string ToString() => $"{Site} {Weakening}";
}
