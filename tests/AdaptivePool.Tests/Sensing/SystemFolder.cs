namespace AdaptivePool.Tests.Sensing;

/// <summary>A folder that stands for "/" of a system whose files a test writes.</summary>
internal sealed class SystemFolder : IDisposable
{
    public const string Version2Mount = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

    public const string Version1Mounts = """
        31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
        32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
        33 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
        34 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw

        """;

    public SystemFolder(string allowedCores = "0-7") => Write("/proc/self/status", $"Name:\ttest\nCpus_allowed_list:\t{allowedCores}\nMems_allowed:\t1\n");

    public string Root { get; } = Directory.CreateTempSubdirectory("adaptive-pool-system-").FullName;

    /// <summary>Lays out a version 2 tree in which the process is in the group of this path.</summary>
    public SystemFolder WithVersion2(string path)
    {
        Write("/proc/self/mountinfo", Version2Mount);
        Write("/proc/self/cgroup", $"0::{path}\n");
        Directory.CreateDirectory(Path.Combine(Root, "sys/fs/cgroup", path.TrimStart('/')));
        return this;
    }

    /// <summary>The same in version 1, with version 2 mounted aside as systemd does.</summary>
    public SystemFolder WithVersion1(string path)
    {
        Write("/proc/self/mountinfo", Version1Mounts);
        Write("/proc/self/cgroup", $"4:memory:{path}\n1:cpuacct,cpu:{path}\n0::/\n");
        Directory.CreateDirectory(Path.Combine(Root, "sys/fs/cgroup/cpu,cpuacct", path.TrimStart('/')));
        Directory.CreateDirectory(Path.Combine(Root, "sys/fs/cgroup/memory", path.TrimStart('/')));
        return this;
    }

    public void Write(string path, string text)
    {
        string file = Path.Combine(Root, path.TrimStart('/'));
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        if (new FileInfo(file).LinkTarget is not null)
        {
            File.Delete(file);
        }

        File.WriteAllText(file, text);
    }

    /// <summary>Makes a file one that is there and cannot be opened, as each is where the process has no file left.</summary>
    public void MakeUnreadable(string path)
    {
        string file = Path.Combine(Root, path.TrimStart('/'));
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        File.Delete(file);
        File.CreateSymbolicLink(file, file);
    }

    public void Dispose() => Directory.Delete(Root, recursive: true);
}
