using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

/// <summary>A gate on virtual time, a plain limiter unless told otherwise: many leases are taken on one flow.</summary>
internal sealed class TestGate : IDisposable
{
    public TestGate(int limit, Action<TransactionGateOptions>? configure = null)
    {
        var options = new TransactionGateOptions { PermitLimit = limit, FlowsWithContext = false };
        configure?.Invoke(options);
        Gate = new TransactionGate(options, new GateClock(Clock, Clock));
    }

    public ManualClock Clock { get; } = new();

    public TransactionGate Gate { get; }

    /// <summary>Takes a permit that must be free.</summary>
    public TransactionLease Enter(TransactionRequest request = default) => Gate.AttemptAcquire(request).ShouldBeOfType<TransactionLease>();

    /// <summary>Begins to wait; must not be let in.</summary>
    public Task<RateLimitLease> Wait(TransactionPriority priority = TransactionPriority.Normal, string? partition = null, CancellationToken token = default)
    {
        Task<RateLimitLease> wait = Ask(priority, partition, token);
        wait.IsCompleted.ShouldBeFalse();
        return wait;
    }

    public Task<RateLimitLease> Ask(TransactionPriority priority = TransactionPriority.Normal, string? partition = null, CancellationToken token = default) =>
        Gate.AcquireAsync(new TransactionRequest { Priority = priority, Partition = partition }, token).AsTask();

    /// <summary>Lets time pass, and lets the gate look at it.</summary>
    public TimeSpan? Pass(double milliseconds)
    {
        Clock.Advance(TimeSpan.FromMilliseconds(milliseconds));
        return Gate.Look();
    }

    public void Dispose() => Gate.Dispose();
}
