using System.Diagnostics;
using System.Globalization;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>
/// Two kinds of work take turns in one class, A, B, A, B: how long until work that was there before is at its rate again, and how long it takes the first time.
/// </summary>
/// <param name="child">The child.</param>
public sealed class MixesRun(ChildContext child)
{
    private const int Clients = 256;
    private const int PartnerMilliseconds = 50;
    private const int Turns = 4;

    /// <summary>Share of the rate of the second halves from which a turn counts as settled, and the length of the stretch that must have it.</summary>
    private const double SettledShare = 0.95;
    private const double SettledSeconds = 1;

    private readonly PostgresWork _work = new(child, synchronous: true);

    /// <summary>The metrics reported here.</summary>
    public static IEnumerable<MetricInfo> Metrics =>
    [
        .. Enumerable.Range(1, Turns).SelectMany(static turn => (MetricInfo[])
        [
            new(Named("turn-{0}-settled-s", turn), "s", Better.Lower),
            new(Named("turn-{0}-tps", turn), "1/s", Better.Higher),
            new(Named("turn-{0}-tps-second-half", turn), "1/s", Better.Higher),
        ]),
    ];

    /// <summary>Runs from a cold pool and reports.</summary>
    /// <param name="turn">Length of a turn.</param>
    public void Measure(TimeSpan turn)
    {
        PeakSampler sampler = new(child.Pool);
        Action first = Transactions.Create(Workload.TpcB, child.Setting(PostgresEnvironment.ConnectionSetting)).Run;
        Action second = child.Case == PostgresCases.MixesPartner ? CallPartner : _work.Bank.Run;
        Action current = first;
        ClosedLoop loop = new(child.Pool.Whole, Clients, () => Volatile.Read(ref current)());
        loop.Allow(Clients);
        RateRecorder[] rates = new RateRecorder[Turns];
        for (int i = 0; i < Turns; i++)
        {
            Volatile.Write(ref current, i % 2 == 0 ? first : second);
            long completed = loop.Completed;
            rates[i] = RateRecorder.Record(() => loop.Completed - completed, Stopwatch.GetTimestamp(), turn);
        }

        for (int i = 0; i < Turns; i++)
        {
            double best = Math.Max(rates[i].SecondHalf, rates[(i + 2) % Turns].SecondHalf);
            double? settled = rates[i].FirstAtLeast(SettledShare * best, SettledSeconds);
            child.Report(Named("turn-{0}-settled-s", i + 1), settled ?? turn.TotalSeconds, censored: settled is null);
            child.Report(Named("turn-{0}-tps", i + 1), rates[i].Rate(0, rates[i].Seconds));
            child.Report(Named("turn-{0}-tps-second-half", i + 1), rates[i].SecondHalf);
        }

        _work.ReportPeaks(sampler);
        _work.ReportErrors(loop);
    }

    private void CallPartner()
    {
        Thread.Sleep(PartnerMilliseconds);
        _work.Bank.Run();
    }

    private static string Named(string format, int turn) => string.Format(CultureInfo.InvariantCulture, format, turn);
}
