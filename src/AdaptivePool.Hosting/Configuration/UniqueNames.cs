namespace AdaptivePool.Hosting.Configuration;

/// <summary>
/// Names what one container makes so that no other container of the process has one of that name: metrics tell them apart. The first keeps the name that it
/// was given, the next ones get "-2", "-3" and so on. A name is free again when its container is disposed.
/// </summary>
/// <param name="taken">The names taken in this process; shared by all containers.</param>
internal sealed class UniqueNames(HashSet<string> taken) : IDisposable
{
    private readonly Dictionary<string, string> _byKey = new(StringComparer.Ordinal);

    /// <summary>A name that nobody else has: the same for the same key, however often it is asked for.</summary>
    public string Take(string key, string wanted)
    {
        lock (taken)
        {
            if (_byKey.TryGetValue(key, out var mine))
            {
                return mine;
            }

            var unique = wanted;
            for (var i = 2; !taken.Add(unique); i++)
            {
                unique = $"{wanted}-{i}";
            }

            _byKey.Add(key, unique);
            return unique;
        }
    }

    public void Dispose()
    {
        lock (taken)
        {
            taken.ExceptWith(_byKey.Values);
            _byKey.Clear();
        }
    }
}
