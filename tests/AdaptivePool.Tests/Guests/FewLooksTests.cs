using AdaptivePool.Guests;
using AdaptivePool.Tests.Faults;

namespace AdaptivePool.Tests.Guests;

/// <summary>Guests of a class of which not all are looked at, in a process of their own (see <see cref="ChildGuests"/>).</summary>
public sealed class FewLooksTests
{
    [Fact]
    public void Guests_ThatNeverWait_AreNotAllLookedAt() => Run("few").ShouldBe(["done"]);

    [Fact]
    public void Guests_OneThatIsLookedAtWaits_AllAreLookedAt() => Run("wait").ShouldBe([$"{GuestLooks.Requests / 2}", "done"]);

    [Fact]
    public void Guests_OneCallsAsyncVoid_AllAreLookedAtForGood() => Run("void").ShouldBe([$"{ChildGuests.Counted}", "done"]);

    [Fact]
    public void Guests_CurrentBlockingActionIsSet_AllAreLookedAt() => Run("action").ShouldBe([$"{ChildGuests.Counted}", "done"]);

    /// <summary>What follows their await blocks, where nobody sees it: the queue of the runtime's pool stands still, with all that is behind it.</summary>
    [Theory]
    [InlineData("held")]
    [InlineData("held late")]
    public void Guests_ThatNobodyLooksAtBlockAllThreads_OthersAreLentAndAllAreLookedAt(string what)
    {
        string[] lines = Run(what);
        lines.Count(static line => line.StartsWith("The runtime's thread pool is starved", StringComparison.Ordinal)).ShouldBe(1);
        lines.Where(static line => !line.StartsWith("The runtime's thread pool is starved", StringComparison.Ordinal))
            .ShouldBe([$"{GuestLooks.Requests / 2}", "done"]);
    }

    [Fact]
    public void Guests_InsideAGuestOfAnotherClass_AreAllLookedAt() => Run("nested").ShouldBe([$"{ChildGuests.Counted}", "done"]);

    private static string[] Run(string what)
    {
        using var child = new ChildRun("guests", what);
        string[] lines = child.Output().Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        child.End().ShouldBe(0);
        return lines;
    }
}
