using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>A middleware of a scene.</summary>
/// <param name="Name">What it is.</param>
/// <param name="Use">Adds it to the pipeline.</param>
/// <param name="Add">Adds its services.</param>
internal sealed record Part(string Name, Action<IApplicationBuilder> Use, Action<IServiceCollection>? Add = null)
{
    /// <summary>Whether it remembers something between requests, so that their order matters.</summary>
    public bool Remembers { get; init; }
}
