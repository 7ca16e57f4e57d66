namespace AdaptivePool.Tests.Dispatch;

public sealed class ThreadSourceTests
{
    /// <summary>A refusal is tried again for as long as the pool lives. A mistake of ours would be, too, and nobody would hear of it.</summary>
    [Fact]
    public void TryStart_SizeThatNoThreadHas_IsNoRefusal() =>
        Should.Throw<ArgumentOutOfRangeException>(() => ThreadSource.System.TryStart(static () => { }, "mistake", stackSize: -1, out _));
}
