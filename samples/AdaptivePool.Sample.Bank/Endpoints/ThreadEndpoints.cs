using AdaptivePool.Sample.Bank.Threads;
using Microsoft.AspNetCore.Http.HttpResults;

namespace AdaptivePool.Sample.Bank.Endpoints;

internal static class ThreadEndpoints
{
    /// <summary>How many threads the pools have and had; <paramref name="reset"/> starts a new peak.</summary>
    public static Ok<ThreadReport> Get(ThreadWatch watch, bool reset = false) => TypedResults.Ok(watch.GetReport(reset));

    /// <summary>The pool that runs the requests.</summary>
    public static Ok<PoolReport> GetPool(IServiceProvider services) => TypedResults.Ok(PoolReport.Take(services.GetService<AdaptiveThreadPool>()));
}
