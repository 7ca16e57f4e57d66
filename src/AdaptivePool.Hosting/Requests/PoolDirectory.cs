using System.Collections.Concurrent;
using AdaptivePool.Hosting.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace AdaptivePool.Hosting.Requests;

/// <summary>The application's pools by name; endpoints name them.</summary>
internal sealed class PoolDirectory(IServiceProvider services, IEnumerable<NamedPool> pools)
{
    private readonly ConcurrentDictionary<string, AdaptiveThreadPool> _known = new(StringComparer.Ordinal);
    private readonly string[] _names = [.. pools.Select(static pool => pool.Name)];

    /// <summary>Called once for each pool that requests use.</summary>
    public Action<AdaptiveThreadPool> OnFirstUse { get; set; } = static _ => { };

    /// <summary>What is wrong with the name of an endpoint's pool; <see langword="null"/> when nothing is.</summary>
    /// <param name="name">The name; <see langword="null"/> for the application's one pool without a name.</param>
    /// <param name="endpoint">The endpoint, in words.</param>
    public string? Failure(string? name, string? endpoint) =>
        name is null || _names.Contains(name, StringComparer.Ordinal)
            ? null
            : $"The endpoint '{endpoint}' shall run on the pool '{name}', which does not exist; there {(_names.Length == 0 ? "is no named pool" : $"are: {string.Join(", ", _names)}")}. Call 'builder.Services.AddAdaptivePool(\"{name}\", ...)'.";

    /// <summary>The pool of this name.</summary>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    public AdaptiveThreadPool Get(string? name, string? endpoint)
    {
        if (Failure(name, endpoint) is { } failure)
        {
            throw new InvalidOperationException(failure);
        }

        return _known.GetOrAdd(name ?? "", key =>
        {
            var pool = key.Length == 0 ? services.GetRequiredService<AdaptiveThreadPool>() : services.GetRequiredKeyedService<AdaptiveThreadPool>(key);
            OnFirstUse(pool);
            return pool;
        });
    }
}
