using Microsoft.AspNetCore.Http;

namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>Something that a handler of a scene does.</summary>
/// <param name="Name">What it is.</param>
/// <param name="Run">Does it.</param>
internal sealed record Step(string Name, Func<HttpContext, Task> Run)
{
    /// <summary>Does several, one after the other. A single one is called directly: what it throws at once is thrown at once.</summary>
    public static Task RunAsync(HttpContext context, IReadOnlyList<Step> steps)
    {
        // Asked again and again until the class of the endpoint has guests.
        return context.Request.Headers.ContainsKey(SceneRun.WarmHeader) ? Task.CompletedTask
            : steps is [var one] ? one.Run(context)
            : RunAllAsync(context, steps);
    }

    private static async Task RunAllAsync(HttpContext context, IReadOnlyList<Step> steps)
    {
        var trace = Trace.Of(context);
        foreach (Step step in steps)
        {
            trace.Add(step.Name);
            await step.Run(context);
        }
    }
}
