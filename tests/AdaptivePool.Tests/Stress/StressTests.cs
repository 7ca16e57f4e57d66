using System.Globalization;
using System.Text.RegularExpressions;
using AdaptivePool.Stress;
using AdaptivePool.Tests.Faults;

namespace AdaptivePool.Tests.Stress;

/// <summary>A few seconds of the stress program, each mode in a process of its own: a count of items, not of time.</summary>
public sealed partial class StressTests
{
    [Theory]
    [InlineData("mixed", 6_000)]
    [InlineData("items", 400_000)]
    [InlineData("bursts", 6_000)]
    [InlineData("dispose", 10_000)]
    [InlineData("queues", 20_000)]
    [InlineData("oversubscribed", 600)]
    [InlineData("gc", 1_000)]
    public void Mode_AFewItems_AllEndOnceAndNoneIsRescued(string mode, int items) => RequireRight(mode, items);

    [LinuxTheory]
    [InlineData("one-core", 4_000)]
    public void ModeOfLinux_AFewItems_AllEndOnceAndNoneIsRescued(string mode, int items) => RequireRight(mode, items);

    [Theory]
    [InlineData("bursts")]
    [InlineData("dispose")]
    public void Mode_TimeInsteadOfANumber_EndsAfterAFewRounds(string mode)
    {
        using var output = new StringWriter();
        StressCommand.Run(["--mode", mode, "--minutes", "0.001", "--seed", "1"], output).ShouldBe(0, output.ToString());
        Match sum = Sum().Match(output.ToString().TrimEnd().Split('\n')[^1].TrimEnd());
        long.Parse(sum.Groups[1].Value, CultureInfo.InvariantCulture).ShouldBeGreaterThan(100, output.ToString());
    }

    [Theory]
    [InlineData("--mode", "hard")]
    [InlineData("--items", "0")]
    [InlineData("--minutes", "x")]
    [InlineData("--faster", "1")]
    [InlineData("--seed")]
    public void CommandLine_Wrong_SaysSoAndEndsWithTwo(params string[] arguments)
    {
        using var output = new StringWriter();
        StressCommand.Run(arguments, output).ShouldBe(2);
        output.ToString().ShouldStartWith(arguments[0]);
        output.ToString().ShouldContain("Usage");
    }

    /// <summary>A check of the account: an item that nobody was woken for is found only by the watch, and counts as a rescue.</summary>
    [Fact]
    public void RescueWatch_ItemThatNobodyWasWokenFor_IsSavedAndCounted()
    {
        var tally = new Tally();
        using AdaptiveThreadPool pool = AdaptivePool.Stress.Rounds.StressPool.Create(hasNet: false, maxThreads: 1);
        var watch = new RescueWatch(tally, pool, looks: 20);
        Eventually.End(pool.Run(static () => { }));
        Eventually.Be(pool, static s => s.Idle == s.Existing, "the workers go to sleep");
        tally.Submit();
        pool.Set.EnqueueInFlight(new CallbackItem(() => tally.Complete()));
        watch.WaitUntil(() => tally.Ended == tally.Submitted, "the item");
        watch.Close();
        tally.Rescues.ShouldBe(1);
        tally.IsRight.ShouldBeFalse();
        tally.ToString().ShouldContain("rescues = 1");
    }

    [Fact]
    public void Tally_WhatDoesNotAddUp_IsWrong()
    {
        var tally = new Tally();
        tally.Submit(3);
        tally.Complete();
        tally.Cancel();
        tally.IsRight.ShouldBeFalse();
        tally.ToString().ShouldStartWith("submitted 3 != completed 1 + cancelled 1 + rejected 0");
        tally.Reject();
        tally.IsRight.ShouldBeTrue();
        tally.Violate("twice");
        tally.IsRight.ShouldBeFalse();
    }

    private static void RequireRight(string mode, int items)
    {
        using var child = new ChildRun("stress", "--mode", mode, "--items", items.ToString(CultureInfo.InvariantCulture), "--seed", "1");
        string output = child.Output();
        string last = output.TrimEnd().Split('\n')[^1];
        Match sum = Sum().Match(last);
        sum.Success.ShouldBeTrue(output);
        long[] numbers = [.. sum.Groups.Values.Skip(1).Select(static g => long.Parse(g.Value, CultureInfo.InvariantCulture))];
        numbers[0].ShouldBeGreaterThanOrEqualTo(items / 2, output);
        numbers[0].ShouldBe(numbers[1] + numbers[2] + numbers[3], output);
        numbers[4].ShouldBe(0, output);
        child.End().ShouldBe(0, output);
    }

    [GeneratedRegex(@"^submitted (\d+) = completed (\d+) \+ cancelled (\d+) \+ rejected (\d+), rescues = (\d+), seed 1$")]
    private static partial Regex Sum();
}
