using AdaptivePool.Control;
using AdaptivePool.Diagnostics;
using AdaptivePool.Simulation.Replay;

namespace AdaptivePool.Tests.Diagnostics;

/// <summary>What is written is read, to the last bit; what is damaged is named.</summary>
public sealed class DecisionLogReaderTests
{
    private static readonly DecisionLogEntry s_step = DecisionLogEntry.OfStep(
        TimeSpan.FromTicks(12_345_678_901),
        "GET /\"quoted\"\n",
        new PoolSample
        {
            Elapsed = TimeSpan.FromTicks(1_234_567),
            Completions = long.MaxValue,
            Target = 7,
            MinTarget = 1,
            MaxTarget = 32_767,
            WorkerCpuSeconds = double.NaN,
            Utilisation = 0.1 + 0.2,
            Cores = double.Epsilon,
            Connections = 12,
            RequestGapSeconds = double.PositiveInfinity,
        },
        new SizeDecision(8, TimeSpan.FromTicks(1), DecisionReason.JumpUp,
            new ControllerTrace { Gain = double.NegativeInfinity, Noise = Math.PI, State = "Usual", Utilisation = -0.0 }) { IsTrial = true });

    [Fact]
    public void Read_WhatWasWritten_ComesBackToTheLastBit()
    {
        TextSink sink = new(DecisionLogHeader.ForHillClimbing());
        sink.Write(s_step);

        using DecisionLogReader log = sink.Read();

        log.Read().ShouldBe(s_step);
        log.Read().ShouldBeNull();
        log.Header.Controller.ShouldBe(nameof(HillClimbingController));
        log.Header.Product.ShouldNotBeEmpty();
    }

    [Fact]
    public void Read_EveryPropertyOfASample_IsInTheLine()
    {
        string line = s_step.ToJson();
        foreach (System.Reflection.PropertyInfo property in typeof(PoolSample).GetProperties())
        {
            line.ShouldContain($"\"{char.ToLowerInvariant(property.Name[0])}{property.Name[1..]}\":", Case.Sensitive);
        }
    }

    [Fact]
    public void Header_EveryOption_ComesBack()
    {
        HillClimbingOptions options = HillClimbingOptions.SeedWave with { MaxUpRatio = 1.7, ModelJump = true };
        using DecisionLogReader log = new TextSink(DecisionLogHeader.ForHillClimbing(options)).Read();

        log.Header.Options.ShouldBe(options);
    }

    [Fact]
    public void Header_OptionAddedLater_HasItsDefault()
    {
        string header = DecisionLogHeader.ForHillClimbing().ToJson();
        header.ShouldContain("\"maxUpRatio\":1.3,");

        using var log = new DecisionLogReader(new StringReader(header.Replace("\"maxUpRatio\":1.3,", "", StringComparison.Ordinal) + "\n"));

        log.Header.Options.ShouldBe(new HillClimbingOptions());
    }

    [Fact]
    public void Header_OptionThatIsAConstantNow_IsReadWithItsValue()
    {
        const string Before = "\"minElasticity\":0.013,\"upConfidence\":1.6,\"downConfidence\":0.7,\"earlyConfidence\":2.6,\"forgetting\":0.002,";
        string header = DecisionLogHeader.ForHillClimbing().ToJson();

        using var log = new DecisionLogReader(new StringReader(header.Replace("\"maxUpRatio\":", Before + "\"maxUpRatio\":", StringComparison.Ordinal) + "\n"));

        log.Header.Options.ShouldBe(new HillClimbingOptions());
    }

    [Theory]
    [InlineData("\"maxUpRatio\":1.3", "\"upConfidence\":2", "'upConfidence' is no option any more; a log is replayed with 1.6 only, this has 2")]
    [InlineData("\"maxUpRatio\":1.3", "\"forgetting\":null", "'forgetting' is no option any more; a log is replayed with 0.002 only, this has null")]
    [InlineData("\"maxUpRatio\":1.3", "\"maxUpRatio\":25", "MaxUpRatio is '25'")]
    [InlineData("\"maxUpRatio\":1.3", "\"maxUpRatoi\":1.3", "there is no option 'maxUpRatoi'")]
    [InlineData("\"maxUpRatio\":1.3", "\"maxUpRatio\":\"high\"", "maxUpRatio")]
    [InlineData("\"version\":1", "\"version\":2", "version 2 of the format is not known; this library reads version 1")]
    [InlineData("\"version\":1,", "", "version (none)")]
    [InlineData("AdaptivePool decision log", "shopping list", "this is no decision log")]
    [InlineData("\"options\":{", "\"options\":[{", "line 1: ")]
    public void Header_Wrong_SaysWhat(string good, string bad, string message)
    {
        string header = DecisionLogHeader.ForHillClimbing().ToJson();
        header.ShouldContain(good);

        DecisionLogException problem =
            Should.Throw<DecisionLogException>(() => new DecisionLogReader(new StringReader(header.Replace(good, bad, StringComparison.Ordinal) + "\n")));

        problem.Line.ShouldBe(1);
        problem.Message.ShouldContain(message);
    }

    [Theory]
    [InlineData("")]
    [InlineData("\n")]
    [InlineData("[]\n")]
    [InlineData("threads,throughput\n1,100\n")]
    public void Open_NoLogAtAll_SaysSo(string text) => Should.Throw<DecisionLogException>(() => new DecisionLogReader(new StringReader(text))).Line.ShouldBe(1);

    [Theory]
    [InlineData(1)]
    [InlineData(20)]
    [InlineData(200)]
    public void Read_LastLineCutOff_IsToleratedWithANote(int cut)
    {
        TextSink sink = new(DecisionLogHeader.ForHillClimbing());
        sink.Write(s_step);
        sink.Write(s_step);
        using var log = new DecisionLogReader(new StringReader(sink.Text[..^(cut + 1)]));

        log.Read().ShouldNotBeNull();
        log.Read().ShouldBeNull();
        log.Read().ShouldBeNull();

        log.Note.ShouldBe("line 3 is cut off and was left out");
    }

    [Fact]
    public void Read_LastLineWholeButWithoutItsEnd_Counts()
    {
        TextSink sink = new(DecisionLogHeader.ForHillClimbing());
        sink.Write(s_step);
        using var log = new DecisionLogReader(new StringReader(sink.Text[..^1]));

        log.Read().ShouldBe(s_step);
        log.Note.ShouldBeNull();
    }

    [Theory]
    [InlineData("")]
    [InlineData("{")]
    [InlineData("null")]
    [InlineData("{\"kind\":\"step\"}")]
    [InlineData("{\"kind\":\"Step\",\"at\":\"00:00:01\",\"className\":\"a\"}")]
    [InlineData("{\"kind\":\"Leap\",\"at\":\"00:00:01\",\"className\":\"a\"}")]
    [InlineData("{\"kind\":\"Start\",\"at\":\"00:00:01\",\"className\":\"a\",\"colour\":\"red\"}")]
    [InlineData("{\"kind\":\"Start\",\"at\":\"yesterday\",\"className\":\"a\"}")]
    public void Read_MiddleLineDamaged_NamesTheLine(string damaged)
    {
        TextSink sink = new(DecisionLogHeader.ForHillClimbing());
        sink.Write(s_step);
        sink.Lines.Add(damaged);
        sink.Write(s_step);
        using DecisionLogReader log = sink.Read();
        log.Read();

        DecisionLogException problem = Should.Throw<DecisionLogException>(() => log.Read());

        problem.Line.ShouldBe(3);
        problem.Message.ShouldStartWith("line 3: ");
    }
}
