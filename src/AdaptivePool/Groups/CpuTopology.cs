using System.Globalization;
using System.Runtime.Versioning;
using AdaptivePool.Sensing;

namespace AdaptivePool.Groups;

/// <summary>
/// The NUMA nodes of the machine, with the processors of each that this process may use (on Linux); nodes without any are left out. One node where the system
/// reports none.
/// </summary>
/// <param name="Nodes">At least one.</param>
/// <param name="Problem">What is wrong with what the system reports; <see langword="null"/> where nothing is.</param>
internal sealed record CpuTopology(IReadOnlyList<CpuNode> Nodes, string? Problem)
{
    private const string Folder = "/sys/devices/system/node";
    private static readonly Lazy<CpuTopology> s_machine = new(static () => OperatingSystem.IsWindows() ? OfWindows() : Read("/"));

    /// <summary>The topology of this machine, read once.</summary>
    public static CpuTopology Machine => s_machine.Value;

    /// <summary>Groups of threads that a pool has when no other number is set: one for each node.</summary>
    public int Groups => Nodes.Count;

    /// <summary>The node that a group of threads is bound to: groups take the nodes in turn.</summary>
    public CpuNode NodeOf(int group) => Nodes[group % Nodes.Count];

    /// <summary>Reads the files below <c>/sys</c> and <c>/proc</c>.</summary>
    /// <param name="root">Folder that stands for "/".</param>
    public static CpuTopology Read(string root)
    {
        string? list = null;
        SmallFile.TryLook(() => list = ProcessorList.Allowed(root));
        List<int>? allowed = ProcessorList.TryParse(list) is { Count: > 0 } some ? some : null;
        CpuNode whole = new(0, allowed ?? All());
        string folder = SmallFile.Below(root, Folder);
        if (!OperatingSystem.IsLinux() || !Directory.Exists(folder))
        {
            // A kernel that knows no nodes has one.
            return new CpuTopology([whole], null);
        }

        if (Numbers(SmallFile.TryRead(Path.Combine(folder, "online"))) is not { Count: > 0 } numbers)
        {
            return Unknown("online");
        }

        List<CpuNode> nodes = [];
        foreach (int number in numbers)
        {
            string file = Path.Combine(string.Create(CultureInfo.InvariantCulture, $"node{number}"), "cpulist");
            if (Numbers(SmallFile.TryRead(Path.Combine(folder, file))) is not { } listed)
            {
                return Unknown(file);
            }

            // A node may have memory only, and an offline processor is in no node's list.
            List<int> usable = allowed is null ? listed : listed.FindAll(allowed.Contains);
            if (usable.Count > 0)
            {
                nodes.Add(new CpuNode(number, usable));
            }
        }

        return nodes.Count > 0 ? new CpuTopology(nodes, null) : Unknown("the lists of processors, none of which this process may use,");

        CpuTopology Unknown(string file) => new([whole], $"{file} in {Folder} cannot be understood: threads are in one group");
    }

    /// <summary>What Windows reports: how many nodes there are, and not which processors they have, because no thread is bound to them.</summary>
    /// <param name="nodes">How many nodes have processors; 0 where Windows reports nothing.</param>
    /// <param name="processors">How many processors the machine has.</param>
    /// <param name="allowed">How many of them the process may use.</param>
    public static CpuTopology OfWindows(int nodes, int processors, int allowed)
    {
        // One node where the process may use some processors only: Windows does not report which.
        int known = nodes > 0 && allowed >= processors ? nodes : 1;
        string? problem = nodes > 0 ? null : "Windows told of no NUMA nodes: threads are in one group";
        return new CpuTopology([.. Enumerable.Range(0, known).Select(static number => new CpuNode(number, []))], problem);
    }

    [SupportedOSPlatform("windows")]
    private static CpuTopology OfWindows() => OfWindows(WindowsProcessors.CountNodes(), WindowsProcessors.Count, Environment.ProcessorCount);

    private static List<int> All()
    {
        List<int> processors = [];
        for (int i = 0; i < Environment.ProcessorCount; i++)
        {
            processors.Add(i);
        }

        return processors;
    }

    private static List<int>? Numbers(string? text) => ProcessorList.TryParse(text?.Trim());
}
