using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Bursts;

/// <summary>One round of bursts after inactivity; the first one, which finds nothing compiled, does not count.</summary>
internal static class InactivityRun
{
    private const int Requests = 200;
    private static readonly TimeSpan s_sleep = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(30);

    public static void Run(ChildContext child, BurstServer server, bool tells)
    {
        BurstWork work = server.Sleep(s_sleep, tells);
        int bursts = child.Quick ? 2 : 4;
        for (int i = 0; i <= bursts; i++)
        {
            // Twice would do; pools look at their threads now and then.
            Thread.Sleep(3 * BurstScenario.IdleTimeout);
            int before = server.Threads;
            int peak = before;
            Burst burst = new(work, Requests);
            burst.Send();
            bool done = burst.Wait(s_limit, () => peak = Math.Max(peak, server.Threads));
            if (i > 0)
            {
                child.Report("threads-before", before);
                child.Report("answer-p50-ms", burst.Milliseconds(0.5), censored: !done);
                child.Report("answer-p99-ms", burst.Milliseconds(0.99), censored: !done);
                child.Report("all-answered-ms", done ? burst.Duration.TotalMilliseconds : s_limit.TotalMilliseconds, censored: !done);
                child.Report("peak-threads", peak);
            }
        }
    }
}
