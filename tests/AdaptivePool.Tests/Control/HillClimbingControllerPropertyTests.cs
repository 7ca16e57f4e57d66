using System.Reflection;
using AdaptivePool.Control;
using FsCheck;
using FsCheck.Fluent;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class HillClimbingControllerPropertyTests
{
    private static readonly Config s_config = Config.QuickThrowOnFailure.WithMaxTest(200).WithReplay(20_211_228, 297);

    private static readonly Gen<Event> s_event =
        from kind in Gen.Frequency((12, Gen.Constant(0)), (1, Gen.Choose(1, 6)))
        from rate in Gen.Choose(0, 20_000)
        from queued in Gen.Frequency((6, Gen.Choose(1, 500)), (1, Gen.Constant(0)))
        from utilisation in Gen.Choose(-1, 120)
        from size in Gen.Choose(1, 300)
        select new Event(kind, rate, queued, utilisation, size);

    private static readonly Arbitrary<Event[]> s_events = Gen.Sized(n => s_event.ArrayOf(10 + (3 * n))).ToArbitrary();

    [Fact]
    public void Update_SameSamples_SameTrace()
        => Prop.ForAll(s_events, events => Run(events, new()).SequenceEqual(Run(events, new()))).Check(s_config);

    [Fact]
    public void Update_SameSamples_SameTraceOfTheSeedWave()
        => Prop.ForAll(s_events, events => Run(events, HillClimbingOptions.SeedWave).SequenceEqual(Run(events, HillClimbingOptions.SeedWave))).Check(s_config);

    [Fact]
    public void Update_AnySamples_StaysWithinBoundsAndAsksForSensibleIntervals()
        => Prop.ForAll(s_events, events => Run(events, new()).Concat(Run(events, HillClimbingOptions.SeedWave)).All(IsSensible)).Check(s_config);

    /// <summary>One option after the other at both ends of its range. An option that must not be below it, or not above it, goes along.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Update_OptionAtAnEndOfItsRange_StaysWithinBoundsAndAsksForSensibleIntervals(int seed)
    {
        var random = new Random(seed);
        Event[] events = [.. Enumerable.Range(0, 300).Select(_ => new Event(
            random.Next(13) == 0 ? random.Next(1, 7) : 0, random.Next(20_000), random.Next(7) == 0 ? 0 : random.Next(500), random.Next(-1, 121),
            random.Next(1, 300)))];
        (string, HillClimbingOptions)[] all = [.. Ends(new HillClimbingOptions(), it => it),
            .. Ends(new SeedWaveOptions(), it => HillClimbingOptions.SeedWave with { Seed = it })];
        all.Length.ShouldBeGreaterThan(60);
        foreach ((string option, HillClimbingOptions options) in all)
        {
            foreach (Outcome outcome in Run(events, options))
            {
                outcome.Decision.NextInterval.ShouldBeInRange(TimeSpan.FromTicks(1), SampleLengthRule.SlowFactor * TimeSpan.FromHours(1), option);
                outcome.Decision.Trace.To.ShouldBe(outcome.Decision.Target, option);
                if (outcome.Decision.Reason != DecisionReason.InvalidSample)
                {
                    outcome.Decision.Target.ShouldBeInRange(outcome.Min, outcome.Max, option);
                }
            }
        }
    }

    private static IEnumerable<(string Option, HillClimbingOptions Options)> Ends<T>(T defaults, Func<T, HillClimbingOptions> within)
        where T : class
    {
        (PropertyInfo Option, OptionRangeAttribute Range)[] ranges =
        [
            .. from option in typeof(T).GetProperties()
               let range = option.GetCustomAttribute<OptionRangeAttribute>()
               where range is not null
               select (option, range),
        ];
        foreach ((PropertyInfo option, OptionRangeAttribute range) in ranges)
        {
            foreach (object end in new[] { range.Minimum, range.Maximum })
            {
                // A record copies itself by a method that has no name in C#.
                var copy = (T)typeof(T).GetMethod("<Clone>$")!.Invoke(defaults, null)!;
                option.SetValue(copy, end);
                foreach ((PropertyInfo other, OptionRangeAttribute otherRange) in ranges)
                {
                    bool goesAlong = range.MinimumOption == other.Name || otherRange.MinimumOption == option.Name;
                    if (goesAlong && OptionCheck.Failures(copy).Count > 0)
                    {
                        other.SetValue(copy, end);
                    }
                }

                // What else an option needs, as that the history of the wave has so many samples, no range says.
                if (within(copy) is var options && options.Failures().Length == 0)
                {
                    yield return ($"{option.Name} = {OptionRangeAttribute.Text(end)}", options);
                }
            }
        }
    }

    private static bool IsSensible(Outcome outcome)
        => outcome.Decision.NextInterval > TimeSpan.Zero
        && outcome.Decision.NextInterval <= TimeSpan.FromSeconds(61)
        && outcome.Decision.Target >= 1
        && (outcome.Decision.Reason == DecisionReason.InvalidSample || (outcome.Decision.Target >= outcome.Min && outcome.Decision.Target <= outcome.Max))
        && outcome.Decision.Trace.To == outcome.Decision.Target;

    private static List<Outcome> Run(Event[] events, HillClimbingOptions options)
    {
        var controller = new HillClimbingController(options);
        var outcomes = new List<Outcome>();
        int target = 16;
        int max = 200;
        TimeSpan interval = TimeSpan.FromMilliseconds(100);
        foreach (Event e in events)
        {
            switch (e.Kind)
            {
                case 1:
                    controller.Reinitialize(e.Size, DecisionReason.ManualResize);
                    target = e.Size;
                    break;
                case 2:
                    target = e.Size;
                    break;
                case 3:
                    max = Math.Max(4, e.Size);
                    break;
            }

            var sample = new PoolSample
            {
                Elapsed = e.Kind == 4 ? TimeSpan.Zero : interval,
                Completions = e.Kind == 5 ? -1 : (long)(e.Rate * interval.TotalSeconds),
                Target = target,
                MinTarget = 2,
                MaxTarget = max,
                Queued = e.Queued,
                Utilisation = e.Utilisation < 0 ? double.NaN : e.Utilisation / 100.0,
                Connections = e.Kind == 6 ? 5 : null,
            };
            SizeDecision decision = controller.Update(sample);
            outcomes.Add(new(decision, 2, max));
            target = decision.Target;
            interval = decision.NextInterval;
        }

        return outcomes;
    }

    private sealed record Event(int Kind, int Rate, int Queued, int Utilisation, int Size);

    private sealed record Outcome(SizeDecision Decision, int Min, int Max);
}
