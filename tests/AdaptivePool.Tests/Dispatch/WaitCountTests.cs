namespace AdaptivePool.Tests.Dispatch;

/// <summary>Waits are counted once, for the class whose item waits and wherever that runs.</summary>
public sealed class WaitCountTests : PoolTest
{
    [Fact]
    public void Wait_AsRootWorkAndInFlight_CountsOnceForItsClass()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass waits = pool.GetClass("waits");
        WorkClass other = pool.GetClass("other");
        Eventually.End(other.Run(static () => { }));
        Eventually.End(waits.Run(async () =>
        {
            using var never = new ManualResetEvent(false);
            never.WaitOne(1);
            await Task.Yield();
            never.WaitOne(1);
            using (pool.Blocking("declared"))
            {
                never.WaitOne(1);
            }
        }));
        waits.Core.Waits.ShouldBe(3, "a wait inside a declared one is the same wait");
        other.Core.Waits.ShouldBe(0);
        pool.Set.InFlight.Waits.ShouldBe(2);
    }
}
