using AdaptivePool.Simulation.Golden;

namespace AdaptivePool.Tests.Sizing.Golden;

public sealed class GoldenFileTests
{
    private static readonly GoldenTrace s_trace =
        GoldenTrace.Of("a trace, of one class", 2, 100.4, 4, [(0.1, 8, "Up"), (0.2, 8, "Up"), (0.3, 8, "Kept"), (1.5, 2, "Down")]);

    [Fact]
    public void Read_WhatWasWritten_IsTheSame()
    {
        string path = Path.GetTempFileName();
        try
        {
            GoldenFile.Write(path, [s_trace, s_trace with { Name = "other", Items = 7 }]);
            IReadOnlyList<GoldenTrace> read = GoldenFile.Read(path);
            read.Select(static t => (t.Name, t.Milliseconds, t.Items)).ShouldBe([("a trace, of one class", 2_000L, 100L), ("other", 2_000L, 7L)]);
            read.ShouldAllBe(t => new GoldenDifference(s_trace, t).First == null);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("1 2 Up")]
    [InlineData("= 10 5 name")]
    [InlineData("= 0 5 name\n0 2 Start")]
    [InlineData("= 10 5 name\n0 2")]
    [InlineData("= 10 5 name\n0 0 Start")]
    [InlineData("= 10 5 name\n0 2 Start\n-1 3")]
    [InlineData("= 10 five name\n0 2 Start")]
    [InlineData("= 10 5 name\n0 2 Start of it")]
    public void Read_WhatIsNoTrace_SaysWhere(string text)
    {
        string path = Path.GetTempFileName();
        try
        {
            File.WriteAllText(path, text);
            Should.Throw<FormatException>(() => GoldenFile.Read(path)).Message.ShouldStartWith(path);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public void Difference_OtherStep_IsNamedWithItsTime()
    {
        GoldenTrace now = GoldenTrace.Of(s_trace.Name, 2, 90, 4, [(0.1, 8, "Up"), (0.5, 6, "Down")]);
        GoldenDifference difference = new(s_trace, now);
        difference.IsIdentical.ShouldBeFalse();
        difference.RateChange.ShouldBe(-0.1, 1e-9);
        difference.SameSizeShare.ShouldBe(0.25, 0.006);
        difference.First.ShouldBe("recorded 8 -> 8 Kept at 300 ms, now 8 -> 6 Down at 500 ms");
    }

    [Fact]
    public void Difference_FewerSteps_IsNamed() =>
        new GoldenDifference(s_trace,
            s_trace with { Steps = [.. s_trace.Steps.Take(2)] }).First.ShouldBe("recorded 8 -> 8 Kept at 300 ms, now no further step");

    [Fact]
    public void Difference_SameStepsOtherItems_IsNotIdentical() => new GoldenDifference(s_trace, s_trace with { Items = 1 }).IsIdentical.ShouldBeFalse();
}
