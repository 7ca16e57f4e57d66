using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <summary>
/// Counts the transactions that end, for an adaptive limit. Divided by thread, so that those that end on different threads hardly meet. Statistics: nothing
/// depends on their order.
/// </summary>
internal sealed class LimitMeter
{
    /// <summary>A power of two; more than the threads that end transactions at the same nanosecond.</summary>
    private const int StripeCount = 16;
    private readonly Stripe[] _stripes = [.. Enumerable.Range(0, StripeCount).Select(static _ => new Stripe())];

    /// <summary>Transactions that ended well.</summary>
    public long Ended => _stripes.Sum(static stripe => stripe.Ended.Value);

    /// <summary>Transactions that failed.</summary>
    public long Failed => _stripes.Sum(static stripe => stripe.Failed.Value);

    /// <summary>Those that ended well and whose time inside is known.</summary>
    public long Timed => _stripes.Sum(static stripe => stripe.Timed.Value);

    /// <summary>Their time inside.</summary>
    public TimeSpan Inside => TimeSpan.FromTicks(_stripes.Sum(static stripe => stripe.InsideTicks.Value));

    private Stripe Own => _stripes[Environment.CurrentManagedThreadId & (StripeCount - 1)];

    /// <summary>A transaction has ended well.</summary>
    /// <param name="inside">How long it was inside; <see langword="null"/> when not known.</param>
    public void CountEnd(TimeSpan? inside)
    {
        Stripe own = Own;
        if (inside is { } time)
        {
            own.InsideTicks.Add(time.Ticks);
            own.Timed.Add(1);
        }

        own.Ended.Add(1);
    }

    /// <summary>A transaction has failed.</summary>
    public void CountFailure() => Own.Failed.Add(1);

    private sealed class Stripe
    {
        public PaddedCounter Ended { get; } = new();

        public PaddedCounter Failed { get; } = new();

        public PaddedCounter Timed { get; } = new();

        public PaddedCounter InsideTicks { get; } = new();
    }
}
