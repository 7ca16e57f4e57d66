using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace AdaptivePool.Hosting.Tests.Apps;

/// <summary>Tells what kind of thread the caller runs on.</summary>
internal static class Whereabouts
{
    public const string Pool = "pool";
    public const string Runtime = "runtime";

    /// <summary>"pool" on a worker of an AdaptiveThreadPool, "runtime" on a thread of the runtime's pool.</summary>
    public static string Here()
    {
        if (AdaptiveThreadPool.Current is not null)
        {
            return Thread.CurrentThread.IsThreadPoolThread ? "both" : Pool;
        }

        return Thread.CurrentThread.IsThreadPoolThread ? Runtime : "neither";
    }

    /// <summary>Names of the classes that have an item running at this moment.</summary>
    public static string ActiveClasses(this WebApplication application)
    {
        var snapshot = application.Services.GetRequiredService<AdaptiveThreadPool>().GetSnapshot();
        return string.Join(';', snapshot.Classes.Where(workClass => workClass.Active > 0).Select(workClass => workClass.Name).Order(StringComparer.Ordinal));
    }
}
