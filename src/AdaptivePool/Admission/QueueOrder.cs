namespace AdaptivePool.Admission;

/// <summary>Who is next among those that wait with the same priority.</summary>
public enum QueueOrder
{
    /// <summary>The one that has waited longest. Fair; under overload everybody waits long.</summary>
    Fifo,

    /// <summary>The one that came last. Under overload a part is served at once and the rest times out, instead of everybody waiting long.</summary>
    Lifo,

    /// <summary>As <see cref="Fifo"/>, and as <see cref="Lifo"/> once somebody has been waiting without a break for <see cref="TransactionGateOptions.OverloadInterval"/>.</summary>
    AdaptiveLifo,
}
