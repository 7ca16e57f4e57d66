using System.Diagnostics;

namespace AdaptivePool.Sample.Bank.Work;

/// <summary>How likely is a balance to touch zero? Random walks in integer arithmetic with a fixed seed: the same answer on every machine.</summary>
public sealed class RiskCalculator(int paths)
{
    private const int Steps = 1_000;
    private const int Start = 30;

    public RiskReport Run() => Simulate(paths);

    public static RiskReport Simulate(int paths)
    {
        ulong state = 1;
        int ruined = 0;
        for (int path = 0; path < paths; path++)
        {
            int balance = Start;
            bool touched = false;
            for (int step = 0; step < Steps; step++)
            {
                // xorshift64 (Marsaglia 2003)
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                balance += (state & 1) == 0 ? 1 : -1;
                touched |= balance <= 0;
            }

            ruined += touched ? 1 : 0;
        }

        return new RiskReport(paths, ruined);
    }

    /// <summary>How many walks this machine does in <paramref name="duration"/>: the best of several tries, because other programs only ever make one
    /// slower.</summary>
    public static int Calibrate(TimeSpan duration)
    {
        const int Tries = 20;
        const int Probe = 400;
        long best = long.MaxValue;
        for (int i = 0; i < Tries; i++)
        {
            long begin = Stopwatch.GetTimestamp();
            Simulate(Probe);
            best = Math.Min(best, Stopwatch.GetTimestamp() - begin);
        }

        return Math.Max(1, (int)(Probe * (duration.TotalSeconds * Stopwatch.Frequency / Math.Max(1, best))));
    }
}
