using System.Globalization;
using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Sensing;

public sealed class MemoryMeterTests
{
    [Fact]
    public void Observe_Version2_IsTheTightestGroupWithoutItsUnusedFileCache()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/pods/web");
        Group(system, "/sys/fs/cgroup/pods", "1000", used: 400, inactiveFile: 0);
        Group(system, "/sys/fs/cgroup/pods/web", "500", used: 400, inactiveFile: 100);

        Read(system).ShouldBe(0.6, 0.001);
    }

    [Fact]
    public void Observe_AncestorIsNearerToItsLimit_IsTheAncestor()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/pods/web");
        Group(system, "/sys/fs/cgroup/pods", "1000", used: 900, inactiveFile: 0);
        Group(system, "/sys/fs/cgroup/pods/web", "max", used: 400, inactiveFile: 0);

        Read(system).ShouldBe(0.9, 0.001);
    }

    [Fact]
    public void Observe_HighBelowMax_CountsAsTheLimit()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/web");
        Group(system, "/sys/fs/cgroup/web", "1000", used: 400, inactiveFile: 0);
        system.Write("/sys/fs/cgroup/web/memory.high", "800\n");

        Read(system).ShouldBe(0.5, 0.001);
    }

    [Fact]
    public void Observe_Version1_ReadsItsFiles()
    {
        using SystemFolder system = new SystemFolder().WithVersion1("/docker/abc");
        system.Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        system.Write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "999999\n");
        system.Write("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "2000\n");
        system.Write("/sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "1500\n");
        system.Write("/sys/fs/cgroup/memory/docker/abc/memory.stat", "cache 700\ninactive_file 1\ntotal_inactive_file 500\n");

        Read(system).ShouldBe(0.5, 0.001);
    }

    [Fact]
    public void Observe_NoLimit_IsTheMachine()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/web");
        Group(system, "/sys/fs/cgroup/web", "max", used: 400, inactiveFile: 0);
        system.Write("/proc/meminfo", "MemTotal:       1000 kB\nMemFree:         50 kB\nMemAvailable:    200 kB\n");

        Read(system).ShouldBe(0.8, 0.001);
    }

    [Fact]
    public void Observe_AddressSpaceIsLimited_CountsAsMemory()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/web");
        Group(system, "/sys/fs/cgroup/web", "1000", used: 400, inactiveFile: 0);
        system.Write("/proc/self/limits", $"Max address space         {1_000 * Environment.SystemPageSize}              unlimited            bytes     \n");
        system.Write("/proc/self/statm", "700 12 3 1 0 20 0\n");

        Read(system).ShouldBe(0.7, 0.001);
        system.Write("/proc/self/limits", "Max address space         unlimited            unlimited            bytes     \n");
        Read(system).ShouldBe(0.4, 0.001);
    }

    [Fact]
    public void Uses_EachLimit_HasAPlaceOfItsOwn()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/pods/web");
        Group(system, "/sys/fs/cgroup/pods", "1000", used: 400, inactiveFile: 0);
        Group(system, "/sys/fs/cgroup/pods/web", "500", used: 400, inactiveFile: 100);
        var meter = new MemoryMeter(system.Root, static () => new MemoryUse(7, 70));
        meter.Observe(1);

        meter.Uses.ToArray().Where(static use => use.IsKnown).ShouldBe([new MemoryUse(7, 70), new MemoryUse(300, 500), new MemoryUse(400, 1_000)]);
        MemoryUse[] before = meter.Uses.ToArray();
        meter.Observe(2);
        meter.Uses.ToArray().ShouldBe(before, "each keeps its place");
    }

    [Fact]
    public void Observe_CollectorIsNearerToItsLimit_IsTheCollector()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/web");
        Group(system, "/sys/fs/cgroup/web", "1000", used: 400, inactiveFile: 0);

        Read(system, heap: 0.95).ShouldBe(0.95, 0.001);
    }

    /// <summary>Where the process has no file left, "no limit" would let the pool grow as if the whole machine were its own.</summary>
    [Theory]
    [InlineData("/sys/fs/cgroup/web/memory.max")]
    [InlineData("/sys/fs/cgroup/web/memory.high")]
    [InlineData("/sys/fs/cgroup/web/memory.current")]
    [InlineData("/sys/fs/cgroup/web/memory.stat")]
    [InlineData("/proc/self/cgroup")]
    public void Observe_FileCannotBeReadNow_WhatWasKnownOfTheGroupHolds(string file)
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/web");
        Group(system, "/sys/fs/cgroup/web", "1000", used: 900, inactiveFile: 100);
        double heap = 0.1;
        var meter = new MemoryMeter(system.Root, () => new MemoryUse(heap, 1));
        meter.Observe(1);
        system.MakeUnreadable(file);
        meter.Observe(2);
        meter.UsedShare.ShouldBe(0.8, 0.001);

        heap = 0.9;
        meter.Observe(3);
        meter.UsedShare.ShouldBe(0.9, 0.001, "the collector is asked without a file");
    }

    /// <summary>A share of 0.97 that stays because the file cannot be read would keep the pool from growing for ever.</summary>
    [Fact]
    public void Observe_NoLimitAndTheMachineCannotBeRead_IsNotWhatWasKnown()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/web");
        Group(system, "/sys/fs/cgroup/web", "max", used: 400, inactiveFile: 0);
        system.Write("/proc/meminfo", "MemTotal:       1000 kB\nMemAvailable:   -9000 kB\n");
        var meter = new MemoryMeter(system.Root, static () => MemoryUse.Unknown);
        meter.Observe(1);
        meter.UsedShare.ShouldBe(10, 0.001);
        system.MakeUnreadable("/proc/meminfo");
        meter.Observe(2);

        // What the collector knows, or nothing.
        (meter.UsedShare >= 10).ShouldBeFalse();
    }

    [Fact]
    public void Observe_ThisMachine_IsKnown()
    {
        var meter = new MemoryMeter();
        meter.Observe(1);
        meter.UsedShare.ShouldBeInRange(0.000_1, 1.5);
    }

    [Fact]
    public void Observe_SoonAgain_ReadsNothing()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/web");
        Group(system, "/sys/fs/cgroup/web", "1000", used: 400, inactiveFile: 0);
        var meter = new MemoryMeter(system.Root, static () => MemoryUse.Unknown);
        meter.Observe(1);
        Group(system, "/sys/fs/cgroup/web", "1000", used: 900, inactiveFile: 0);

        meter.Observe(1.2).ShouldBeFalse();
        meter.UsedShare.ShouldBe(0.4, 0.001);
        meter.Observe(1.3).ShouldBeTrue();
        meter.UsedShare.ShouldBe(0.9, 0.001);
        Group(system, "/sys/fs/cgroup/web", "1000", used: 500, inactiveFile: 0);
        meter.Observe(1.309, isHurried: true).ShouldBeFalse();
        meter.Observe(1.311, isHurried: true).ShouldBeTrue();
        meter.UsedShare.ShouldBe(0.5, 0.001);
    }

    private static double Read(SystemFolder system, double heap = double.NaN)
    {
        var meter = new MemoryMeter(system.Root, () => new MemoryUse(heap, 1));
        meter.Observe(1);
        return meter.UsedShare;
    }

    private static void Group(SystemFolder system, string folder, string limit, int used, int inactiveFile)
    {
        system.Write($"{folder}/memory.max", limit + "\n");
        system.Write($"{folder}/memory.high", "max\n");
        system.Write($"{folder}/memory.current", used.ToString(CultureInfo.InvariantCulture) + "\n");
        system.Write($"{folder}/memory.stat", $"anon 1\ninactive_anon 7\ninactive_file {inactiveFile}\nactive_file 3\n");
    }
}
