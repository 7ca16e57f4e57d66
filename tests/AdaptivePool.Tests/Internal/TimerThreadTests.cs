using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Internal;

public sealed class TimerThreadTests
{
    /// <summary>A gate's thread ended the process.</summary>
    [Fact]
    public void Look_NoMemory_LooksAgain()
    {
        int looks = 0;
        using var again = new ManualResetEventSlim();
        using var thread = new TimerThread<RealSync>("full", () =>
        {
            if (++looks == 1)
            {
                throw new OutOfMemoryException("injected");
            }

            again.Set();
            return null;
        });
        thread.Wake().ShouldBeTrue();
        Eventually.Set(again, "the thread goes on");
    }
}
