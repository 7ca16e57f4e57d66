namespace AdaptivePool.Admission;

/// <summary>
/// What an async context carries: the permit of its transaction. A box, because the context is set when the caller asks, and the permit may come later; what is set after an await would not reach the caller.
/// </summary>
internal sealed class LeaseFlow
{
    private LeaseHold? _hold;

    public LeaseHold? Hold
    {
        // Pairs with each other: whoever sees the permit sees its fields.
        get => Volatile.Read(ref _hold);
        set => Volatile.Write(ref _hold, value);
    }
}
