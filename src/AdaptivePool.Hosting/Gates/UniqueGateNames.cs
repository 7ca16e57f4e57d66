using AdaptivePool.Admission;
using AdaptivePool.Hosting.Configuration;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Gates;

/// <summary>
/// Names the gates of one container so that no other container of the process has a gate of that name. What endpoints and code ask for is the name that the
/// gate was added by.
/// </summary>
internal sealed class UniqueGateNames : IPostConfigureOptions<TransactionGateOptions>, IDisposable
{
    // The process's metrics are what the names must be unique in.
    private static readonly HashSet<string> s_taken = new(StringComparer.Ordinal);

    private readonly UniqueNames _names = new(s_taken);

    public void PostConfigure(string? name, TransactionGateOptions options)
    {
        // Options without a name belong to no gate; an empty name is refused by validation.
        if (!string.IsNullOrEmpty(name) && !string.IsNullOrWhiteSpace(options.Name))
        {
            options.Name = _names.Take(name, options.Name);
        }
    }

    public void Dispose() => _names.Dispose();
}
