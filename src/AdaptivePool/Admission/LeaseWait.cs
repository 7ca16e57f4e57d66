using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>Waits for a lease with a thread.</summary>
internal static class LeaseWait
{
    /// <summary>The answer of a gate. One who is interrupted keeps his place until it comes, and the permit goes back then: nobody else could dispose it.</summary>
    /// <param name="asked">What the gate was asked for.</param>
    public static RateLimitLease For(ValueTask<RateLimitLease> asked)
    {
        if (asked.IsCompletedSuccessfully)
        {
            return asked.Result;
        }

        Task<RateLimitLease> answer = asked.AsTask();
        try
        {
            return answer.GetAwaiter().GetResult();
        }
        catch
        {
            _ = GiveBackAsync(answer);
            throw;
        }
    }

    private static async Task GiveBackAsync(Task<RateLimitLease> answer)
    {
        await ((Task)answer).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (answer.IsCompletedSuccessfully)
        {
            (await answer.ConfigureAwait(false)).Dispose();
        }
    }
}
