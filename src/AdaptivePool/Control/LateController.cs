namespace AdaptivePool.Control;

/// <summary>Makes its controller when it is first asked: most classes of a cold pool need none for their first second, and making the first one of a process
/// takes 10 ms.</summary>
/// <param name="create">Makes it.</param>
internal sealed class LateController(Func<IPoolController> create) : IPoolController, ISizeVerifier
{
    private IPoolController? _inner;

    public int VerifiedSize => (_inner as ISizeVerifier)?.VerifiedSize ?? 0;

    private IPoolController Inner => _inner ??= create();

    public SizeDecision Update(in PoolSample sample) => Inner.Update(sample);

    public void Reinitialize(int target, DecisionReason reason) => Inner.Reinitialize(target, reason);

    public void Doubt() => (_inner as ISizeVerifier)?.Doubt();
}
