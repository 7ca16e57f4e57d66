using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Bursts;

/// <summary>A pool of this process.</summary>
/// <param name="child">Tells the calibration of what computes.</param>
/// <param name="pool">The pool.</param>
public sealed class PoolBurstServer(ChildContext child, ComparedPool pool) : BurstServer
{
    private const double AnswerMilliseconds = 0.1;
    private readonly CpuBurner _burner = child.CreateBurner();
    private readonly SimulatedDevice _device = new(OperationsPerSecond);

    /// <inheritdoc/>
    public override int Threads => pool.Read().Threads;

    /// <inheritdoc/>
    public override BurstWork Sleep(TimeSpan time, bool tells) => new(pool.Whole, () =>
    {
        using BlockingScope scope = tells ? BlockingScope.Enter("sleep") : default;
        Thread.Sleep(time);
    });

    /// <inheritdoc/>
    public override BurstWork Compute(TimeSpan time) => new(pool.Whole, () => _burner.Burn(time.TotalMilliseconds));

    /// <inheritdoc/>
    public override BurstWork Operate() => new(pool.Whole, _device.Operate);

    /// <inheritdoc/>
    public override BurstWork Answer(bool apart) => new(apart ? pool.GetClass("short") : pool.Whole, () => _burner.Burn(AnswerMilliseconds));
}
