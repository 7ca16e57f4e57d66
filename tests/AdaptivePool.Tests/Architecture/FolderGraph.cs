namespace AdaptivePool.Tests.Architecture;

/// <summary>Who uses whom, and who uses itself by way of others.</summary>
internal static class FolderGraph
{
    /// <summary>A shortest way from a node back to itself, without its end; empty where there is none.</summary>
    public static IReadOnlyList<string> Cycle(IReadOnlyDictionary<string, HashSet<string>> uses)
    {
        IReadOnlyList<string> shortest = [];
        foreach (string start in uses.Keys)
        {
            IReadOnlyList<string> found = WayBack(uses, start);
            if (found.Count > 0 && (shortest.Count == 0 || found.Count < shortest.Count))
            {
                shortest = found;
            }
        }

        return shortest;
    }

    /// <summary>All nodes that use themselves by way of others.</summary>
    public static IEnumerable<string> Knot(IReadOnlyDictionary<string, HashSet<string>> uses) => uses.Keys.Where(node => WayBack(uses, node).Count > 0);

    private static IReadOnlyList<string> WayBack(IReadOnlyDictionary<string, HashSet<string>> uses, string start)
    {
        Dictionary<string, string> from = new(StringComparer.Ordinal);
        Queue<string> next = new([start]);
        while (next.TryDequeue(out string? node))
        {
            foreach (string used in uses.GetValueOrDefault(node, []))
            {
                if (used == start)
                {
                    List<string> way = [node];
                    while (way[^1] != start)
                    {
                        way.Add(from[way[^1]]);
                    }

                    way.Reverse();
                    return way;
                }

                if (from.TryAdd(used, node))
                {
                    next.Enqueue(used);
                }
            }
        }

        return [];
    }
}
