namespace AdaptivePool.Tests.Dispatch;

/// <summary>Tasks that have ended and still stand in a queue.</summary>
public sealed class EndedTaskTests : PoolTest
{
    /// <summary>The waiting worker runs each of them, and no other comes to the queue where they stand.</summary>
    [Fact]
    public void Wait_TasksOfAnotherClassInALoop_LeaveNoMoreThanTheLastOne()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass other = pool.GetClass("other");
        long queued = Eventually.Result(pool.Run(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                other.Run(() => { }).Wait();
                other.Run(() => { }, WorkPriority.High).Wait();
            }

            return other.GetSnapshot().Queued;
        }));
        queued.ShouldBeInRange(0, 4, "the last of each priority, and what was not yet looked at");
        Eventually.Be(() => other.GetSnapshot().Queued == 0, "the rest is passed");
    }
}
