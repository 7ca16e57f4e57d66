using AdaptivePool.Sample.Bank.Threads;
using Microsoft.AspNetCore.Http.HttpResults;

namespace AdaptivePool.Sample.Bank.Endpoints;

internal static class ThreadEndpoints
{
    /// <summary>How many threads the pools have.</summary>
    public static Ok<ThreadReport> Get(IServiceProvider services) => TypedResults.Ok(ThreadReport.Take(services.GetService<AdaptiveThreadPool>()));

    /// <summary>The pool that runs the requests.</summary>
    public static Ok<PoolReport> GetPool(IServiceProvider services) => TypedResults.Ok(PoolReport.Take(services.GetService<AdaptiveThreadPool>()));
}
