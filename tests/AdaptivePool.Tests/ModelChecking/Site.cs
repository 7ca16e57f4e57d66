namespace AdaptivePool.Tests.ModelChecking;

/// <summary>A call of the shim in the source: where a mutation strikes.</summary>
internal readonly record struct Site(string Member, int Line, OperationKind Kind)
{
    /// <summary>Whether it is a plain access, which other operations order.</summary>
    public bool IsPlain => Kind is OperationKind.Read or OperationKind.Write;

    /// <summary>Whether it only reads, and neither waits nor changes anything.</summary>
    public bool IsRead => Kind is OperationKind.Read or OperationKind.RelaxedRead or OperationKind.VolatileRead or OperationKind.Look;

    public override string ToString() => $"{Member}:{Line} {Kind}";
}
