using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Sensing;

public sealed class ThreadRoomTests
{
    private const int Cores = 2;

    [Fact]
    public void Observe_Version2_IsTheTightestOfOwnGroupAndAncestors()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/pods/web");
        Group(system, "/sys/fs/cgroup/pods/web", "max", used: 30);
        Group(system, "/sys/fs/cgroup/pods", "1000", used: 700);

        Read(system).ShouldBe(1_000 - 700 - ThreadRoomRule.Kept(1_000, Cores));
    }

    [Fact]
    public void Observe_Version1_ReadsItsController()
    {
        using SystemFolder system = new SystemFolder().WithVersion1("/docker/abc");
        system.Write("/proc/self/mountinfo", SystemFolder.Version1Mounts + "35 31 0:33 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n");
        system.Write("/proc/self/cgroup", "8:pids:/docker/abc\n0::/\n");
        Group(system, "/sys/fs/cgroup/pids/docker/abc", "100", used: 110);

        Read(system).ShouldBe(100 - 110 - ThreadRoomRule.Kept(100, Cores));
    }

    [Fact]
    public void Observe_LimitOfTheUser_CountsTheThreadsOfTheProcess()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/web");
        system.Write("/proc/self/limits", "Max processes             200                  400                  processes\n");
        system.Write("/proc/self/status", "Name:\ttest\nThreads:\t25\nCpus_allowed_list:\t0-7\n");

        Read(system).ShouldBe(200 - 25 - ThreadRoomRule.Kept(200, Cores));
    }

    [Theory]
    [InlineData("unlimited")]
    [InlineData("96365")]
    public void Observe_NoLimitThatAPoolCouldMeet_IsAnyNumber(string ofUser)
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/web");
        Group(system, "/sys/fs/cgroup/web", "max", used: 30);
        system.Write("/proc/self/limits", $"Max processes             {ofUser}            {ofUser}            processes\n");
        system.Write("/proc/self/status", "Threads:\t25\n");

        Read(system).ShouldBeNull();
    }

    [Fact]
    public void Observe_NothingIsTold_IsAnyNumber()
    {
        using var system = new SystemFolder();
        Read(system).ShouldBeNull();
    }

    /// <summary>Where no file is left, one that cannot be opened would say that there is no limit: the pool would take the last thread.</summary>
    [Theory]
    [InlineData("/sys/fs/cgroup/web/pids.max")]
    [InlineData("/sys/fs/cgroup/web/pids.current")]
    [InlineData("/proc/self/status")]
    [InlineData("/proc/self/limits")]
    [InlineData("/proc/self/cgroup")]
    public void Observe_FileCanNoLongerBeRead_WhatWasKnownHolds(string file)
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/web");
        Group(system, "/sys/fs/cgroup/web", "100", used: 30);
        system.Write("/proc/self/limits", "Max processes             200                  400                  processes\n");
        system.Write("/proc/self/status", "Name:\ttest\nThreads:\t25\n");
        var room = new ThreadRoom(system.Root, AdaptivePoolOptions.DefaultMaxThreads, Cores);
        room.Observe(0).ShouldBeTrue();
        long? free = room.Free;
        free.ShouldNotBeNull();
        system.MakeUnreadable(file);

        room.Observe(1).ShouldBeFalse();
        room.Free.ShouldBe(free);
    }

    [Theory]
    [InlineData("/proc/self/mountinfo")]
    [InlineData("/proc/self/limits")]
    public void Observe_FileCannotBeReadAtFirst_IsReadLater(string file)
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/web");
        Group(system, "/sys/fs/cgroup/web", "100", used: 30);
        system.Write("/proc/self/limits", "Max processes             50                   400                  processes\n");
        system.Write("/proc/self/status", "Name:\ttest\nThreads:\t25\n");
        long? free = Read(system);
        string text = File.ReadAllText(system.Root + file);
        system.MakeUnreadable(file);
        var room = new ThreadRoom(system.Root, AdaptivePoolOptions.DefaultMaxThreads, Cores);
        room.Observe(0).ShouldBeFalse();
        room.Free.ShouldBeNull();

        system.Write(file, text);
        room.Observe(1).ShouldBeTrue();
        room.Free.ShouldBe(free.ShouldNotBeNull());
    }

    [Fact]
    public void Observe_SoonAfterALook_LooksAtNothing()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/web");
        Group(system, "/sys/fs/cgroup/web", "100", used: 30);
        var room = new ThreadRoom(system.Root, AdaptivePoolOptions.DefaultMaxThreads, Cores);
        room.Observe(1).ShouldBeTrue();
        room.Observe(1.1).ShouldBeFalse();
        room.Observe(1.3).ShouldBeTrue();
    }

    private static long? Read(SystemFolder system)
    {
        var room = new ThreadRoom(system.Root, AdaptivePoolOptions.DefaultMaxThreads, Cores);
        room.Observe(0).ShouldBeTrue();
        return room.Free;
    }

    private static void Group(SystemFolder system, string folder, string most, int used)
    {
        system.Write(folder + "/pids.max", most + "\n");
        system.Write(folder + "/pids.current", $"{used}\n");
    }
}
