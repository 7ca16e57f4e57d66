using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Sensing;

public sealed class ProcessLimitTests
{
    private const string Limits = """
        Limit                     Soft Limit           Hard Limit           Units
        Max cpu time              unlimited            unlimited            seconds
        Max processes             96365                96365                processes
        Max open files            310                  524288               files

        """;

    [Fact]
    public void Read_IsTheLimitInForce()
    {
        using var system = new SystemFolder();
        system.Write("/proc/self/limits", Limits);
        ProcessLimit.Read(system.Root, "Max open files").ShouldBe(310);
        ProcessLimit.Read(system.Root, "Max processes").ShouldBe(96_365);
        ProcessLimit.Read(system.Root, "Max cpu time").ShouldBeNull();
        ProcessLimit.Read(system.Root, "Max of nothing").ShouldBeNull();
    }

    [Theory]
    [InlineData("310", 19)]
    [InlineData("1024", 64)]
    [InlineData("524288", 64)]
    [InlineData("10", 0)]
    [InlineData("unlimited", 64)]
    public void KeptFiles_IsASmallPartOfThoseTheProcessMayOpen(string limit, int kept)
    {
        // 64 of 310 were kept: a web app that had served a hundred connections ended with "Out of memory" at the fortieth.
        using var system = new SystemFolder();
        system.Write("/proc/self/limits", $"Max open files            {limit}                  524288               files\n");
        ProcessLimit.KeptFiles(system.Root, WorkerWatch.MostFiles).ShouldBe(kept);
    }

    [Fact]
    public void KeptFiles_ProcessHasNoFileLeft_IsNone()
    {
        using var system = new SystemFolder();
        system.MakeUnreadable("/proc/self/limits");
        ProcessLimit.KeptFiles(system.Root, WorkerWatch.MostFiles).ShouldBe(0);
    }

    [Fact]
    public void KeptFiles_NothingIsTold_IsWhatIsEnough()
    {
        using var system = new SystemFolder();
        ProcessLimit.KeptFiles(system.Root, WorkerWatch.MostFiles).ShouldBe(WorkerWatch.MostFiles);
    }
}
