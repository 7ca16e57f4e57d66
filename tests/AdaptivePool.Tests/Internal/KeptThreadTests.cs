using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Internal;

public sealed class KeptThreadTests
{
    /// <summary>The handler is told when the section takes the value away.</summary>
    [Fact]
    public void Dispose_HandlerOfAnAsyncLocalSetsAContext_ContextIsAsBefore()
    {
        var left = new SynchronizationContext();
        SynchronizationContext? after = left;
        var thread = new Thread(() =>
        {
            var told = new AsyncLocal<string?>(change =>
            {
                if (change.ThreadContextChanged)
                {
                    SynchronizationContext.SetSynchronizationContext(left);
                }
            });
            using (new KeptThread())
            {
                told.Value = "of the section";
            }

            after = SynchronizationContext.Current;
        });
        thread.Start();
        thread.Join(Eventually.Patience).ShouldBeTrue();
        after.ShouldBeNull();
    }
}
