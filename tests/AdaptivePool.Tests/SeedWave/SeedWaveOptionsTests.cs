using System.Globalization;
using System.Reflection;
using System.Text.RegularExpressions;
using AdaptivePool.Control;
using AdaptivePool.Tests.Architecture;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

/// <summary>The 33 parameters, and the document that lists them.</summary>
public sealed partial class SeedWaveOptionsTests
{
    private const string Document = "docs/control-seed.md";

    private static readonly PropertyInfo[] s_parameters =
    [
        typeof(HillClimbingOptions).GetProperty(nameof(HillClimbingOptions.Enabled))!,
        typeof(HillClimbingOptions).GetProperty(nameof(HillClimbingOptions.LogEnabled))!,
        .. typeof(SeedWaveOptions).GetProperties(BindingFlags.Instance | BindingFlags.Public | BindingFlags.DeclaredOnly),
    ];

    public static IEnumerable<object[]> NumericRanges => Rows().Where(r => NumericRange().IsMatch(r.Range)).Select(r => new object[] { r.Name, r.Range });

    [Fact]
    public void Document_ListsEachOfThe33ParametersOnce()
    {
        Rows().Count.ShouldBe(33);
        Rows().Select(r => r.Number).ShouldBe(Enumerable.Range(1, 33).Select(i => i.ToString(CultureInfo.InvariantCulture)));
        Rows().Select(r => r.Name).ShouldBe(s_parameters.Select(p => p.Name), ignoreOrder: true);
    }

    [Fact]
    public void Document_NamesOfTheSeed_AreAllThere()
    {
        string[] seed =
        [
            "hcm_hillclimbing_enabled", "hcm_log_enabled", "wave_period", "samples_to_wave_period_ratio", "hcm_period", "min_accepted_throughput", "hcm_eps",
            "hcm_valuable_diff", "hcm_ccs_valuable_progress", "hcm_min_thread_wave_magnitude", "hcm_max_thread_wave_magnitude",
        ];
        Rows().Select(r => r.SeedName).Where(n => n.Contains('_', StringComparison.Ordinal)).ShouldBe(seed, ignoreOrder: true);
    }

    [Fact]
    public void Document_Defaults_AreThoseOfTheAssembly()
        => Rows().Select(r => $"{r.Name} = {r.Default}").ShouldBe(s_parameters.Select(p => $"{p.Name} = {Shown(DefaultOf(p))}"), ignoreOrder: true);

    [Fact]
    public void Document_Kinds_AreThoseOfTheEnumerations()
    {
        foreach ((string _, string _, string name, string _, string range) in Rows().Where(r => Property(r.Name).PropertyType.IsEnum))
        {
            range.ShouldBe(string.Join(", ", Enum.GetNames(Property(name).PropertyType)));
        }
    }

    [Theory]
    [MemberData(nameof(NumericRanges))]
    public void Validate_RangeOfTheDocument_IsTheOneThatIsChecked(string name, string range)
    {
        Match match = NumericRange().Match(range);
        double min = double.Parse(match.Groups["min"].Value, CultureInfo.InvariantCulture);
        double max = double.Parse(match.Groups["max"].Value, CultureInfo.InvariantCulture);
        double step = Property(name).PropertyType == typeof(int) ? 1 : 1e-4;
        foreach (double outside in new[] { min - step, max + step, double.NaN }.Where(v => step < 1 || !double.IsNaN(v)))
        {
            ArgumentOutOfRangeException error = Should.Throw<ArgumentOutOfRangeException>(With(name, outside).Validate, $"{name} = {outside}");
            error.Message.ShouldContain(name);
            error.Message.ShouldContain("allowed: ");
        }

        foreach (double inside in new[] { min, max })
        {
            // Only another option may be in the way of the end of a range, and then the message says which.
            Exception? error = Record.Exception(With(name, inside).Validate);
            (error is null || s_parameters.Count(p => error.Message.Contains(p.Name, StringComparison.Ordinal)) >= 2)
                .ShouldBeTrue($"{name} = {inside}: {error?.Message}");
        }
    }

    [Theory]
    [InlineData(nameof(SeedWaveOptions.WavePeriod), 6)]
    [InlineData(nameof(SeedWaveOptions.MaxWaveMagnitude), 9)]
    [InlineData(nameof(SeedWaveOptions.FirstEvaluationSamples), 33)]
    public void Validate_OptionAgainstAnother_NamesIt(string name, double value)
        => Should.Throw<ArgumentOutOfRangeException>(With(name, value).Validate).ParamName.ShouldBe(name);

    [Fact]
    public void Validate_UnknownKind_ListsTheKnownOnes()
    {
        foreach (PropertyInfo kind in s_parameters.Where(p => p.PropertyType.IsEnum))
        {
            var options = new SeedWaveOptions();
            kind.SetValue(options, Enum.ToObject(kind.PropertyType, 9));
            ArgumentOutOfRangeException error = Should.Throw<ArgumentOutOfRangeException>(options.Validate);
            error.ParamName.ShouldBe(kind.Name);
            error.Message.ShouldContain(string.Join(" or ", Enum.GetNames(kind.PropertyType)));
        }
    }

    [Theory]
    [InlineData(0.0)]
    [InlineData(7200)]
    public void Validate_SamplePeriodOutOfRange_NamesIt(double seconds)
        => Should.Throw<ArgumentOutOfRangeException>((new SeedWaveOptions() with { SamplePeriod = TimeSpan.FromSeconds(seconds) }).Validate).ParamName.ShouldBe(
            "SamplePeriod");

    [Theory]
    [InlineData("")]
    [InlineData("10:8")]
    [InlineData("10:8 20:15 30:20")]
    [InlineData("20:15 10:8")]
    [InlineData("10:8 10:7")]
    [InlineData("10:10 20:15")]
    [InlineData("10:0 20:15")]
    [InlineData("1:1 20:15")]
    [InlineData("10:8 40000:30000")]
    [InlineData("NaN:8 20:15")]
    [InlineData("10:NaN 20:15")]
    [InlineData("2:1 3:2 4:3 5:4 6:5 7:6 8:7 9:8 10:9 11:10")]
    public void Validate_PlateauPointsWrong_NamesThem(string text)
    {
        PlateauPoint[] points = [.. text.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(p => p.Split(':'))
            .Select(p => new PlateauPoint(double.Parse(p[0], CultureInfo.InvariantCulture), double.Parse(p[1], CultureInfo.InvariantCulture)))];
        Should.Throw<ArgumentOutOfRangeException>((new SeedWaveOptions() with { PlateauPoints = points }).Validate).ParamName.ShouldBe("PlateauPoints");
        Should.Throw<ArgumentOutOfRangeException>((new SeedWaveOptions() with { PlateauPoints = null! }).Validate).ParamName.ShouldBe("PlateauPoints");
    }

    private static IReadOnlyList<(string Number, string SeedName, string Name, string Default, string Range)> Rows()
        => [.. Documents.TableRows(Document, "#").Select(r => (r[0], r[1].Trim('`'), r[2].Trim('`'), r[3].Trim('`'), r[5]))];

    private static PropertyInfo Property(string name) => s_parameters.Single(p => p.Name == name);

    private static object? DefaultOf(PropertyInfo property)
        => property.GetValue(property.DeclaringType == typeof(HillClimbingOptions) ? new HillClimbingOptions() : new SeedWaveOptions());

    private static SeedWaveOptions With(string name, double value)
    {
        var options = new SeedWaveOptions();
        PropertyInfo property = Property(name);
        Type type = Nullable.GetUnderlyingType(property.PropertyType) ?? property.PropertyType;
        property.SetValue(options, Convert.ChangeType(value, type, CultureInfo.InvariantCulture));
        return options;
    }

    private static string Shown(object? value) => value switch
    {
        null => "not set",
        bool flag => flag ? "true" : "false",
        IEnumerable<PlateauPoint> points => string.Join(", ", points.Select(p => $"({p.Size};{p.NextSize})")),
        IFormattable formattable => formattable.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString()!,
    };

    [GeneratedRegex(@"^(?<min>[\d.]+) to (?<max>[\d.]+)$")]
    private static partial Regex NumericRange();
}
