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

    /// <summary>Name of the class whose item calls this. A request before may have its answer and still count, so this waits until one class alone is active;
    /// several names when that never happens.</summary>
    public static string ActiveClasses(this AdaptiveThreadPool pool)
    {
        string[] names = [];
        SpinWait.SpinUntil(() => (names = Names(pool)).Length == 1, TestApp.Patience / 2);
        return string.Join(';', names);
    }

    /// <inheritdoc cref="ActiveClasses(AdaptiveThreadPool)"/>
    public static string ActiveClasses(this WebApplication application) => application.Services.GetRequiredService<AdaptiveThreadPool>().ActiveClasses();

    /// <summary>Names of the classes that are active at this moment, the caller's among them.</summary>
    public static string ActiveClassesNow(this WebApplication application)
        => string.Join(';', Names(application.Services.GetRequiredService<AdaptiveThreadPool>()));

    private static string[] Names(AdaptiveThreadPool pool) =>
        [.. pool.GetSnapshot().Classes.Where(workClass => workClass.Active > 0).Select(workClass => workClass.Name).Order(StringComparer.Ordinal)];
}
