using System.Globalization;
using System.Reflection;
using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class HillClimbingOptionsTests
{
    public static TheoryData<string, double> OutOfRange => new()
    {
        { nameof(HillClimbingOptions.WavePeriod), 0 },
        { nameof(HillClimbingOptions.WavePeriod), 6 },
        { nameof(HillClimbingOptions.WavePeriod), 68 },
        { nameof(HillClimbingOptions.SamplesToWavePeriodRatio), 1 },
        { nameof(HillClimbingOptions.WaveRatio), 1 },
        { nameof(HillClimbingOptions.WaveRatio), 2.1 },
        { nameof(HillClimbingOptions.WaveRatio), double.NaN },
        { nameof(HillClimbingOptions.MinWaveMagnitude), 0 },
        { nameof(HillClimbingOptions.MinWaveMagnitude), 81 },
        { nameof(HillClimbingOptions.MaxWaveMagnitude), 9 },
        { nameof(HillClimbingOptions.ValuableProgress), 0 },
        { nameof(HillClimbingOptions.ValuableDifference), 0 },
        { nameof(HillClimbingOptions.MinGain), -0.1 },
        { nameof(HillClimbingOptions.MaxLoss), 1.1 },
        { nameof(HillClimbingOptions.UpConfidence), -1 },
        { nameof(HillClimbingOptions.DownConfidence), 11 },
        { nameof(HillClimbingOptions.SettledConfidence), -1 },
        { nameof(HillClimbingOptions.EvidenceMemory), 1.1 },
        { nameof(HillClimbingOptions.PriorDeviation), 0 },
        { nameof(HillClimbingOptions.OtherSideEvery), 1 },
        { nameof(HillClimbingOptions.UpPatience), 0 },
        { nameof(HillClimbingOptions.MaxDownRatio), 1 },
        { nameof(HillClimbingOptions.FirstRestSamples), 0 },
        { nameof(HillClimbingOptions.FirstRestSamples), 129 },
        { nameof(HillClimbingOptions.MaxRestSamples), 0 },
        { nameof(HillClimbingOptions.MinSampleCompletions), -1 },
        { nameof(HillClimbingOptions.SampleCompletionsPerThread), -1 },
        { nameof(HillClimbingOptions.SettleCompletionsPerThread), double.PositiveInfinity },
        { nameof(HillClimbingOptions.SlowSampleServiceTimes), 1 },
        { nameof(HillClimbingOptions.MaxModelUtilisation), 0 },
        { nameof(HillClimbingOptions.MaxModelRatio), 17 },
        { nameof(HillClimbingOptions.ModelGainShare), 1.5 },
        { nameof(HillClimbingOptions.MinConnectionsPerThread), -1 },
    };

    [Fact]
    public void Validate_Presets_Pass()
    {
        new HillClimbingOptions().Validate();
        HillClimbingOptions.SeedWave.Validate();
    }

    [Theory]
    [MemberData(nameof(OutOfRange))]
    public void Validate_OutOfRange_NamesTheOptionTheValueAndTheRange(string name, double value)
    {
        HillClimbingOptions options = With(name, value);
        ArgumentOutOfRangeException error = Should.Throw<ArgumentOutOfRangeException>(options.Validate);
        error.Message.ShouldContain(error.ParamName!);
        error.Message.ShouldContain("it must be");
        if (error.ParamName == name)
        {
            error.Message.ShouldContain(value.ToString(CultureInfo.InvariantCulture));
        }
        else
        {
            // A lower bound moved over its upper one: the message names both.
            error.Message.ShouldContain(name);
        }

        Should.Throw<ArgumentOutOfRangeException>(() => new HillClimbingController(options));
    }

    [Theory]
    [InlineData(nameof(HillClimbingOptions.MinSampleInterval), 0)]
    [InlineData(nameof(HillClimbingOptions.MaxSampleInterval), 7200)]
    [InlineData(nameof(HillClimbingOptions.MinSettleInterval), -1)]
    [InlineData(nameof(HillClimbingOptions.MaxSampleInterval), 0.01)]
    public void Validate_DurationOutOfRange_NamesTheOption(string name, double seconds)
    {
        var options = new HillClimbingOptions();
        typeof(HillClimbingOptions).GetProperty(name)!.SetValue(options, TimeSpan.FromSeconds(seconds));
        Should.Throw<ArgumentOutOfRangeException>(options.Validate).ParamName.ShouldBe(name);
    }

    [Fact]
    public void Validate_UnknownKinds_Throws()
    {
        Should.Throw<ArgumentOutOfRangeException>((new HillClimbingOptions() with { Evidence = (EvidenceKind)9 }).Validate).ParamName.ShouldBe("Evidence");
        Should.Throw<ArgumentOutOfRangeException>((new HillClimbingOptions() with { Magnitude = (WaveMagnitude)9 }).Validate).ParamName.ShouldBe("Magnitude");
    }

    [Fact]
    public void Validate_AbsoluteWaveWithSequentialEvidence_Throws()
        => Should.Throw<ArgumentOutOfRangeException>((new HillClimbingOptions() with { Magnitude = WaveMagnitude.Absolute }).Validate).ParamName.ShouldBe("Magnitude");

    [Fact]
    public void SeedWave_HasTheParametersOfTheFoundingDocument()
    {
        HillClimbingOptions seed = HillClimbingOptions.SeedWave;
        (seed.WavePeriod, seed.SamplesToWavePeriodRatio).ShouldBe((4, 8));
        (seed.MinWaveMagnitude, seed.MaxWaveMagnitude).ShouldBe((10, 80));
        (seed.ValuableProgress, seed.ValuableDifference).ShouldBe((0.2, 0.2));
        seed.MinSampleInterval.ShouldBe(TimeSpan.FromSeconds(2));
        seed.MaxSampleInterval.ShouldBe(TimeSpan.FromSeconds(2));
    }

    [Fact]
    public void OutOfRange_EveryNumericOption_IsCovered()
    {
        IEnumerable<string> numeric = typeof(HillClimbingOptions).GetProperties(BindingFlags.Instance | BindingFlags.Public)
            .Where(p => p.PropertyType == typeof(int) || p.PropertyType == typeof(double))
            .Select(p => p.Name);
        numeric.Except(OutOfRange.Select(row => (string)row[0]), StringComparer.Ordinal).ShouldBeEmpty();
    }

    private static HillClimbingOptions With(string name, double value)
    {
        var options = new HillClimbingOptions { Evidence = EvidenceKind.Accumulated };
        PropertyInfo property = typeof(HillClimbingOptions).GetProperty(name)!;
        property.SetValue(options, Convert.ChangeType(value, property.PropertyType, CultureInfo.InvariantCulture));
        return options;
    }
}
