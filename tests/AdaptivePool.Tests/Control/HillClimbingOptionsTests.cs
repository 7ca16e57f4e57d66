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
        { nameof(HillClimbingOptions.MaxUpRatio), 1 },
        { nameof(HillClimbingOptions.MaxUpRatio), 4.1 },
        { nameof(HillClimbingOptions.MaxUpRatio), double.NaN },
        { nameof(HillClimbingOptions.LookAheadPerCore), -1 },
        { nameof(HillClimbingOptions.LookAheadPerCore), 65 },
        { nameof(HillClimbingOptions.MaxDownRatio), 1 },
        { nameof(HillClimbingOptions.MaxDownRatio), 65 },
        { nameof(HillClimbingOptions.MinImprovement), 0 },
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
        error.Message.ShouldContain("allowed: ");
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
    public void Validate_UnknownProfile_Throws()
    {
        ArgumentOutOfRangeException error =
            Should.Throw<ArgumentOutOfRangeException>((new HillClimbingOptions() with { Profile = (ControllerProfile)9 }).Validate);
        error.ParamName.ShouldBe("Profile");
        error.Message.ShouldContain("Adaptive or SeedWave");
    }

    [Fact]
    public void Validate_SeedMissingOrWrong_Throws()
    {
        Should.Throw<ArgumentOutOfRangeException>((new HillClimbingOptions() with { Seed = null! }).Validate).ParamName.ShouldBe("Seed");
        Should.Throw<ArgumentOutOfRangeException>((new HillClimbingOptions() with { Seed = new() { MissesInARow = 0 } }).Validate).ParamName.ShouldBe(
            "Seed.MissesInARow");
    }

    [Fact]
    public void SeedWave_IsTheOtherProfileWithTheDefaultsOfTheSeed()
        => HillClimbingOptions.SeedWave.ShouldBe(new HillClimbingOptions { Profile = ControllerProfile.SeedWave, Seed = new SeedWaveOptions() });

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
        var options = new HillClimbingOptions();
        PropertyInfo property = typeof(HillClimbingOptions).GetProperty(name)!;
        property.SetValue(options, Convert.ChangeType(value, property.PropertyType, CultureInfo.InvariantCulture));
        return options;
    }
}
