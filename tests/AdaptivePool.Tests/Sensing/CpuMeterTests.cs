using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Sensing;

public sealed class CpuMeterTests
{
    [Theory]
    [InlineData("0-7", 8)]
    [InlineData("3", 1)]
    [InlineData("0,2-4,9", 5)]
    public void Cores_NoQuota_AreThoseOfTheAffinityMask(string allowed, int cores)
    {
        using var system = new SystemFolder(allowed);
        new CpuMeter(system.Root).Cores.ShouldBe(cores);
    }

    [Fact]
    public void Cores_QuotaBelowTheMask_IsTheQuota()
    {
        using SystemFolder system = new SystemFolder("0-7").WithVersion2("/web");
        system.Write("/sys/fs/cgroup/web/cpu.max", "250000 100000\n");
        new CpuMeter(system.Root).Cores.ShouldBe(2.5);
    }

    [Fact]
    public void Cores_MaskIsNotTold_AreAllOfTheMachine()
    {
        using var system = new SystemFolder("no list");
        new CpuMeter(system.Root).Cores.ShouldBe(Environment.ProcessorCount);
    }

    [Fact]
    public void Observe_QuotaAndMaskChange_FollowsWithinASecond()
    {
        using SystemFolder system = new SystemFolder("0-7").WithVersion2("/web");
        var meter = new CpuMeter(system.Root);
        meter.Observe(1);
        system.Write("/sys/fs/cgroup/web/cpu.max", "300000 100000\n");
        meter.Observe(1.9);
        meter.Cores.ShouldBe(8, "files are read once a second, not at every look");

        meter.Observe(2);
        meter.Cores.ShouldBe(3);

        system.Write("/proc/self/status", "Cpus_allowed_list:\t0-1\n");
        meter.Observe(3);
        meter.Cores.ShouldBe(2);

        system.Write("/proc/self/status", "Cpus_allowed_list:\t0-7\n");
        system.Write("/sys/fs/cgroup/web/cpu.max", "max 100000\n");
        meter.Observe(4);
        meter.Cores.ShouldBe(8);
    }

    /// <summary>Where the process has no file left, "no quota" would give hogs a thread for each core of the machine.</summary>
    [Theory]
    [InlineData("/sys/fs/cgroup/web/cpu.max")]
    [InlineData("/proc/self/cgroup")]
    [InlineData("/proc/self/status")]
    public void Observe_FileCannotBeReadNow_WhatWasKnownHolds(string file)
    {
        using SystemFolder system = new SystemFolder("0-7").WithVersion2("/web");
        system.Write("/sys/fs/cgroup/web/cpu.max", "300000 100000\n");
        var meter = new CpuMeter(system.Root);
        system.MakeUnreadable(file);
        meter.Observe(1);
        meter.Cores.ShouldBe(3);
    }

    [Fact]
    public void Observe_NothingCanBeReadAtFirst_IsTheRuntimesWordAndThenTheSystems()
    {
        using SystemFolder system = new SystemFolder("0-6").WithVersion2("/web");
        system.MakeUnreadable("/proc/self/mountinfo");
        system.Write("/sys/fs/cgroup/web/cpu.max", "300000 100000\n");
        var meter = new CpuMeter(system.Root);
        meter.Cores.ShouldBe(Environment.ProcessorCount);

        system.Write("/proc/self/mountinfo", SystemFolder.Version2Mount);
        meter.Observe(1);
        meter.Cores.ShouldBe(3);
    }

    [Theory]
    [InlineData(2, "0-1", 2)]
    [InlineData(96, "90-91", 2)]
    [InlineData(4_096, "4094-4095", 2)]
    [InlineData(4_096, "0-4095", 4_096)]
    public void Observe_MachineOfManyCores_CountsThoseAllowed(int cores, string allowed, int expected)
    {
        using var system = new SystemFolder(allowed);
        var meter = new CpuMeter(system.Root);
        Write(0);
        meter.Observe(0.001);
        Write(10);
        meter.Observe(0.101);

        meter.Cores.ShouldBe(expected);
        meter.IsKnown.ShouldBeTrue();
        meter.IdleCores.ShouldBe(expected, 0.01 * expected);

        void Write(long idle) => system.Write(
            "/proc/stat",
            string.Concat(Enumerable.Range(0, cores).Select(i => $"cpu{i} 2311034 11233 1233345 {123_456_789 + idle} 12034 0 33456 0 0 0\n")
                .Prepend("cpu  1 2 3 4 5 6 7 0 0 0\n").Append("intr 1 2 3\nctxt 5\n")));
    }

    // The difference to what could not be read is no number, and a mean that had seen one was none for good.
    [Fact]
    public void Observe_IdleTimeCanBeReadAgain_IsKnownFromTheNextWindowOn()
    {
        using var system = new SystemFolder("0-1");
        var meter = new CpuMeter(system.Root);
        system.MakeUnreadable("/proc/stat");
        meter.Observe(0.001);
        meter.Observe(0.101);
        Idle(system, 100, 100);
        meter.Observe(0.201);
        meter.IsKnown.ShouldBeFalse();

        Idle(system, 105, 105);
        meter.Observe(0.301);
        meter.IsKnown.ShouldBeTrue();
        meter.IdleCores.ShouldBe(1, 0.01);
    }

    [Fact]
    public void Observe_KernelCountsNoIdleTime_IsNotKnown()
    {
        using var system = new SystemFolder("0-1");
        var meter = new CpuMeter(system.Root);
        for (int i = 0; i < 5; i++)
        {
            Idle(system, 0, 0);
            meter.Observe(0.1 * i);
        }

        meter.IsKnown.ShouldBeFalse();
    }

    [Fact]
    public void Observe_MaskChanges_CountsIdleTimeOfTheNewCoresFromThenOn()
    {
        using var system = new SystemFolder("0-1");
        var meter = new CpuMeter(system.Root);
        Idle(system, 100, 100);
        meter.Observe(0.5);
        Idle(system, 110, 110);
        meter.Observe(0.6);
        meter.IsKnown.ShouldBeTrue();
        meter.IdleCores.ShouldBe(2, 0.01);

        // The first core alone from now on: a window over both sums would read nonsense.
        system.Write("/proc/self/status", "Cpus_allowed_list:\t0\n");
        Idle(system, 150, 150);
        meter.Observe(1.1);
        meter.IdleCores.ShouldBeLessThanOrEqualTo(1);
        Idle(system, 155, 900);
        meter.Observe(1.2);
        meter.IdleCores.ShouldBe(0.5, 0.01);
    }

    [Fact]
    public void Observe_LinesOfOtherCoresAndFields_CountsIdleAndDiskWaitsOfTheAllowedOnes()
    {
        using var system = new SystemFolder("1");
        var meter = new CpuMeter(system.Root);
        Write(4, 1, 0);
        meter.Observe(0.001);

        // Of cpu1 6 + 2 ticks in a tenth of a second; cpu10 only begins like it.
        Write(10, 3, 700);
        meter.Observe(0.101);
        meter.IdleCores.ShouldBe(0.8, 0.01);

        void Write(int idle, int diskWait, int others) => system.Write(
            "/proc/stat",
            $"cpu  1 2 3 {others} 5 6\ncpu0 1 2 3 {others} {others} 6\n"
                + $"cpu1 {others} {others} {others} {idle} {diskWait} {others}\ncpu10 1 2 3 {others}\nintr 1\n");
    }

    private static void Idle(SystemFolder system, int first, int second) =>
        system.Write("/proc/stat", $"cpu  0 0 0 {first + second} 0 0\ncpu0 0 0 0 {first} 0 0\ncpu1 0 0 0 {second} 0 0\nintr 1\n");
}
