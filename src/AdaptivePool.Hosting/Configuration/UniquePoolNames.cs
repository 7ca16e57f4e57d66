using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>Names the pools of one container so that no other container of the process has a pool of that name.</summary>
internal sealed class UniquePoolNames : IPostConfigureOptions<AdaptivePoolOptions>, IDisposable
{
    // The process's metrics and threads are what the names must be unique in.
    private static readonly HashSet<string> s_taken = new(StringComparer.Ordinal);

    private readonly UniqueNames _names = new(s_taken);

    public void PostConfigure(string? name, AdaptivePoolOptions options)
    {
        // An empty one is refused by validation.
        if (!string.IsNullOrWhiteSpace(options.Name))
        {
            options.Name = _names.Take(name ?? Options.DefaultName, options.Name);
        }
    }

    public void Dispose() => _names.Dispose();
}
