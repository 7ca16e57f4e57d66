using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>
/// Names the pools of one container so that no other container of the process has a pool of that name: thread names and metrics tell them apart.
/// The first keeps the name that it was given, the next ones get "-2", "-3" and so on. A name is free again when its container is disposed.
/// </summary>
internal sealed class UniquePoolNames : IPostConfigureOptions<AdaptivePoolOptions>, IDisposable
{
    // The process's metrics and threads are what the names must be unique in.
    private static readonly HashSet<string> s_taken = new(StringComparer.Ordinal);

    private readonly Dictionary<string, string> _byOptions = new(StringComparer.Ordinal);

    public void PostConfigure(string? name, AdaptivePoolOptions options)
    {
        // An empty one is refused by validation.
        if (!string.IsNullOrWhiteSpace(options.Name))
        {
            options.Name = Take(name ?? Options.DefaultName, options.Name);
        }
    }

    public void Dispose()
    {
        lock (s_taken)
        {
            s_taken.ExceptWith(_byOptions.Values);
            _byOptions.Clear();
        }
    }

    /// <summary>The same for the same options, however often they are made.</summary>
    private string Take(string optionsName, string wanted)
    {
        lock (s_taken)
        {
            if (_byOptions.TryGetValue(optionsName, out var taken))
            {
                return taken;
            }

            var unique = wanted;
            for (var i = 2; !s_taken.Add(unique); i++)
            {
                unique = $"{wanted}-{i}";
            }

            _byOptions.Add(optionsName, unique);
            return unique;
        }
    }
}
