namespace AdaptivePool.Sensing;

/// <summary>
/// The control groups that bind this process for one controller: its own and all ancestors that can be seen, because the tightest of them counts. Version 2, or
/// version 1 where the controller is mounted so.
/// </summary>
/// <param name="root">Stands for "/".</param>
/// <param name="controller">Name of the controller, "cpu", "memory" or "pids".</param>
internal sealed class ControlGroup(string root, string controller)
{
    private string? _mountPoint;
    private string _mountRoot = "/";
    private string? _membership;

    /// <summary>Whether the files are those of version 2.</summary>
    public bool IsVersion2 { get; private set; }

    /// <summary>Folders of the groups, the process's own first; empty where there are no control groups.</summary>
    public IReadOnlyList<string> Folders { get; private set; } = [];

    /// <summary>Looks again which groups those are: a process can be moved while it runs.</summary>
    /// <exception cref="IOException">The groups cannot be read now.</exception>
    public void Follow()
    {
        _mountPoint ??= FindMount();
        if (_mountPoint.Length == 0)
        {
            return;
        }

        string membership = SmallFile.Read(SmallFile.Below(root, "/proc/self/cgroup")) ?? "";
        if (membership == _membership)
        {
            return;
        }

        _membership = membership;
        string folder = SmallFile.Below(root, _mountPoint);
        List<string> folders = [folder];
        foreach (string name in BelowMount(OwnPath(membership)).Split('/', StringSplitOptions.RemoveEmptyEntries))
        {
            folder = Path.Combine(folder, name);
            if (!Directory.Exists(folder))
            {
                break;
            }

            folders.Insert(0, folder);
        }

        Folders = folders;
    }

    // Empty where there is no mount.
    private string FindMount()
    {
        string point = "";
        foreach (string line in (SmallFile.Read(SmallFile.Below(root, "/proc/self/mountinfo")) ?? "").Split('\n'))
        {
            // "id parent device root point options ... - type source superoptions"
            string[] halves = line.Split(" - ", 2);
            string[] left = halves[0].Split(' ');
            string[] right = halves[^1].Split(' ');
            if (halves.Length < 2 || left.Length < 5 || right.Length < 3)
            {
                continue;
            }

            bool first = right[0] == "cgroup" && right[2].Split(',').Contains(controller, StringComparer.Ordinal);
            if (first || (right[0] == "cgroup2" && point.Length == 0))
            {
                // A controller that is mounted in version 1 is in no group of version 2.
                _mountRoot = left[3];
                point = left[4].Replace(@"\040", " ", StringComparison.Ordinal);
                IsVersion2 = !first;
                if (first)
                {
                    break;
                }
            }
        }

        return point;
    }

    // "0::/path" in version 2, "4:cpu,cpuacct:/path" in version 1.
    private string OwnPath(string membership)
    {
        string[][] lines = Array.ConvertAll(membership.Split('\n'), static line => line.Split(':', 3));
        return Array.Find(lines, parts => parts.Length == 3
            && (IsVersion2 ? parts[1].Length == 0 : parts[1].Split(',').Contains(controller, StringComparer.Ordinal)))?[2] ?? "/";
    }

    // In a container the mount shows a part of the tree, and the path may lead out of it.
    private string BelowMount(string path)
    {
        bool isShown = _mountRoot == "/" || path == _mountRoot || path.StartsWith(_mountRoot + "/", StringComparison.Ordinal);
        string below = !isShown ? "" : _mountRoot == "/" ? path : path[_mountRoot.Length..];
        return below.Split('/').Contains("..", StringComparer.Ordinal) ? "" : below;
    }
}
