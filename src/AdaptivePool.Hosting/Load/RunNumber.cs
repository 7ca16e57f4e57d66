namespace AdaptivePool.Hosting.Load;

/// <summary>
/// The number of this process's run, by which a balancer tells its reports from those of the run before. By the date: a time stamp begins anew with the
/// machine, and the next run would be taken for an earlier one. Where the clock was set back it is, until the balancer has forgotten the run before, as it
/// forgets every backend that it has not heard of for long.
/// </summary>
internal static class RunNumber
{
    public static long Create(TimeProvider clock) => Math.Max(0, clock.GetUtcNow().ToUnixTimeMilliseconds());
}
