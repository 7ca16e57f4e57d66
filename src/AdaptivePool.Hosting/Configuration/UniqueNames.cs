namespace AdaptivePool.Hosting.Configuration;

/// <summary>
/// Gives unique names to what one container creates: no other container of the process has an object of that name, because metrics and threads are
/// distinguished by it. The first object keeps its name, the next ones get "-2", "-3" and so on. A name is free again when its container is disposed.
/// </summary>
/// <typeparam name="T">Type of the options that have the name.</typeparam>
/// <param name="nameOf">Reads the name; <see langword="null"/> where options of this key have none.</param>
/// <param name="rename">Writes it.</param>
internal sealed class UniqueNames<T>(Func<string, T, string?> nameOf, Action<T, string> rename) : IPostConfigureOptions<T>, IDisposable
    where T : class
{
    /// <summary>The names taken in this process; shared by all containers.</summary>
    private static readonly HashSet<string> s_taken = new(StringComparer.Ordinal);

    private readonly Dictionary<string, string> _byKey = new(StringComparer.Ordinal);

    public void PostConfigure(string? name, T options)
    {
        // Validation refuses an empty name.
        var key = name ?? Options.DefaultName;
        if (nameOf(key, options) is { } wanted && !string.IsNullOrWhiteSpace(wanted))
        {
            rename(options, Take(key, wanted));
        }
    }

    public void Dispose()
    {
        lock (s_taken)
        {
            s_taken.ExceptWith(_byKey.Values);
            _byKey.Clear();
        }
    }

    /// <summary>Returns a name that no other container has. It is the same for the same key, however often the method is called.</summary>
    private string Take(string key, string wanted)
    {
        lock (s_taken)
        {
            if (_byKey.TryGetValue(key, out var mine))
            {
                return mine;
            }

            var unique = wanted;
            for (var i = 2; !s_taken.Add(unique); i++)
            {
                unique = $"{wanted}-{i}";
            }

            _byKey.Add(key, unique);
            return unique;
        }
    }
}
