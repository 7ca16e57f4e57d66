using System.Collections.Concurrent;
using AdaptivePool.Diagnostics;

namespace AdaptivePool.Tests.Diagnostics;

/// <summary>Whom it is told that an asynchronous handler threw.</summary>
public sealed class EventHandlersTests
{
    [Fact]
    public void Call_InsideAHandlerOfAnotherEvent_EachHearsOfItsOwn()
    {
        var outer = new ConcurrentQueue<Exception>();
        var inner = new ConcurrentQueue<Exception>();
        EventHandler<int> innerHandlers = static async (_, number) =>
        {
            await Task.Yield();
            throw new InvalidOperationException($"inner {number}");
        };
        EventHandler<int> outerHandlers = async (sender, number) =>
        {
            innerHandlers.Call(sender!, number, inner.Enqueue);
            await Task.Yield();
            throw new InvalidOperationException($"outer {number}");
        };

        // Under no context, as on a thread of a pool.
        Eventually.End(Task.Run(() => outerHandlers.Call(this, 1, outer.Enqueue)));

        Eventually.Be(() => outer.Count + inner.Count == 2, "both are told");
        inner.ShouldHaveSingleItem().Message.ShouldBe("inner 1");
        outer.ShouldHaveSingleItem().Message.ShouldBe("outer 1");
    }
}
