using System.Diagnostics.Metrics;
using AdaptivePool.Control;
using AdaptivePool.Diagnostics;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Diagnostics;

public sealed class PoolMetricsTests
{
    [Fact]
    public void Count_Decision_IsCountedByPoolClassAndReason()
    {
        var seen = new List<string>();
        using MeterListener listener = Listen(seen);
        var metrics = new PoolMetrics("counted");
        metrics.Count(new ControllerTrace { ClassName = "partner", Reason = DecisionReason.InvalidSample });
        metrics.Count(new ControllerTrace { Reason = DecisionReason.JumpUp });
        seen.ShouldBe(["1 counted/partner/InvalidSample", "1 counted//JumpUp"]);
    }

    [Fact]
    public async Task Run_OnAPool_CountsItsDecisions()
    {
        var seen = new List<string>();
        using MeterListener listener = Listen(seen);
        await using (var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { Name = "counted by a collector" }))
        {
            await Task.WhenAll(Enumerable.Range(0, 64).Select(_ => pool.Run(() => Thread.Sleep(1))));
        }

        lock (seen)
        {
            seen.ShouldContain("1 counted by a collector/default/Initial");
        }
    }

    private static MeterListener Listen(List<string> seen)
    {
        var listener = new MeterListener { InstrumentPublished = static (instrument, l) => Enable(instrument, l) };
        listener.SetMeasurementEventCallback<long>((_, count, tags, _) =>
        {
            string line = $"{count} {string.Join('/', tags.ToArray().Select(tag => tag.Value))}";
            if (line.Contains("counted", StringComparison.Ordinal))
            {
                lock (seen)
                {
                    seen.Add(line);
                }
            }
        });
        listener.Start();
        return listener;
    }

    private static void Enable(Instrument instrument, MeterListener listener)
    {
        if (instrument is { Name: MetricNames.Decisions, Meter.Name: MetricNames.Meter })
        {
            listener.EnableMeasurementEvents(instrument);
        }
    }
}
