namespace AdaptivePool.Tests.ModelChecking;

/// <summary>A call of the shim in the source: where a mutation strikes.</summary>
internal readonly record struct Site(string Member, int Line, OperationKind Kind)
{
    /// <summary>Whether it is a plain access, which other operations order.</summary>
    public bool IsPlain => Kind is OperationKind.Read or OperationKind.Write;

    /// <summary>Whether it only reads, and neither waits nor changes anything.</summary>
    public bool IsRead => Kind is OperationKind.Read or OperationKind.RelaxedRead or OperationKind.VolatileRead or OperationKind.Look;

    /// <summary>Whether it is an update that promises to be atomic and no more.</summary>
    public bool IsRelaxedUpdate
        => Kind is OperationKind.RelaxedCompareExchange or OperationKind.RelaxedIncrement or OperationKind.RelaxedDecrement or OperationKind.Add;

    /// <summary>Whether it is an update that promises a full fence.</summary>
    public bool IsFullUpdate
        => Kind is OperationKind.WriteAndFence or OperationKind.Exchange or OperationKind.CompareExchange or OperationKind.Increment or OperationKind.Decrement;

    public override string ToString() => $"{Member}:{Line} {Kind}";
}
