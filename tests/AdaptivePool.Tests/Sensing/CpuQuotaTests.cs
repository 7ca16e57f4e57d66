using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Sensing;

public sealed class CpuQuotaTests
{
    [Fact]
    public void Read_Version2_IsTheSmallestOfOwnGroupAndAncestors()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/pods/web/main");
        system.Write("/sys/fs/cgroup/pods/web/main/cpu.max", "max 100000\n");
        system.Write("/sys/fs/cgroup/pods/web/cpu.max", "150000 100000\n");
        system.Write("/sys/fs/cgroup/pods/cpu.max", "400000 100000\n");

        new CpuQuota(system.Root).Read().ShouldBe(1.5);
    }

    [Fact]
    public void Read_QuotaChanges_IsTheNewOne()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/web");
        system.Write("/sys/fs/cgroup/web/cpu.max", "200000 100000\n");
        var quota = new CpuQuota(system.Root);
        quota.Read().ShouldBe(2);

        system.Write("/sys/fs/cgroup/web/cpu.max", "50000 100000\n");
        quota.Read().ShouldBe(0.5);

        system.Write("/sys/fs/cgroup/web/cpu.max", "max 100000\n");
        quota.Read().ShouldBe(double.PositiveInfinity);
    }

    [Fact]
    public void Read_ProcessIsMoved_IsThatOfTheNewGroup()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/one");
        system.Write("/sys/fs/cgroup/one/cpu.max", "100000 100000\n");
        system.Write("/sys/fs/cgroup/two/cpu.max", "300000 100000\n");
        var quota = new CpuQuota(system.Root);
        quota.Read().ShouldBe(1);

        system.Write("/proc/self/cgroup", "0::/two\n");
        quota.Read().ShouldBe(3);
    }

    [Fact]
    public void Read_Version1_IsTheSmallestOfOwnGroupAndAncestors()
    {
        using SystemFolder system = new SystemFolder().WithVersion1("/docker/abc");
        system.Write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
        system.Write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
        system.Write("/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us", "350000\n");
        system.Write("/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n");
        system.Write("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "25000\n");
        system.Write("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "10000\n");

        new CpuQuota(system.Root).Read().ShouldBe(2.5);
    }

    [Theory]
    [InlineData("30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/docker/abc/inner\n", "/sys/fs/cgroup/inner/cpu.max")]
    [InlineData("30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/docker/abcdef\n", "/sys/fs/cgroup/cpu.max")]
    [InlineData("30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/docker/abc\n", "/sys/fs/cgroup/cpu.max")]
    [InlineData("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/../../host\n", "/sys/fs/cgroup/cpu.max")]
    [InlineData("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/not/shown/here\n", "/sys/fs/cgroup/cpu.max")]
    [InlineData("30 23 0:26 / /mnt/my\\040groups rw - cgroup2 cgroup2 rw\n", "0::/\n", "/mnt/my groups/cpu.max")]
    public void Read_PartOfTheTreeIsMounted_FindsTheGroup(string mounts, string membership, string file)
    {
        using var system = new SystemFolder();
        system.Write("/proc/self/mountinfo", mounts);
        system.Write("/proc/self/cgroup", membership);
        system.Write(file, "70000 100000\n");

        new CpuQuota(system.Root).Read().ShouldBe(0.7);
    }

    [Theory]
    [InlineData("")]
    [InlineData("nonsense")]
    [InlineData("0 100000")]
    [InlineData("100000 0")]
    public void Read_NoQuotaInTheFile_IsNone(string text)
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/");
        system.Write("/sys/fs/cgroup/cpu.max", text);

        new CpuQuota(system.Root).Read().ShouldBe(double.PositiveInfinity);
    }

    [Fact]
    public void Read_NoControlGroups_IsNone()
    {
        using var system = new SystemFolder();
        new CpuQuota(system.Root).Read().ShouldBe(double.PositiveInfinity);
    }
}
