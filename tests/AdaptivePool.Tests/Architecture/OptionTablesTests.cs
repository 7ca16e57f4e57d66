using System.Reflection;
using AdaptivePool.Admission;
using AdaptivePool.Balancing;
using AdaptivePool.Balancing.Clients;
using AdaptivePool.Balancing.Overload;
using AdaptivePool.Control;
using AdaptivePool.Data;
using AdaptivePool.Hosting;
using AdaptivePool.Yarp;

namespace AdaptivePool.Tests.Architecture;

/// <summary>The ranges in the tables of the documents are those of the attributes, by which options are checked.</summary>
public sealed class OptionTablesTests
{
    [Theory]
    [InlineData("README.md", "option", typeof(AdaptivePoolOptions), 14)]
    [InlineData("docs/gate.md", "key", typeof(TransactionGateOptions), 10)]
    [InlineData("docs/data.md", "option", typeof(GatedDataSourceOptions), 2)]
    [InlineData("docs/control.md", "option", typeof(HillClimbingOptions), 15)]
    public void Table_EachOption_HasTheRangeThatIsChecked(string file, string header, Type options, int atLeast)
    {
        Dictionary<string, string> rows = Documents.TableRows(file, header)
            .ToDictionary(static row => row[0].Trim('`'), static row => row[2].Replace("`", "", StringComparison.Ordinal), StringComparer.Ordinal);
        (string Name, string Allowed)[] ranges =
            [.. options.GetProperties().Select(static p => (p.Name, Allowed: OptionTables.Allowed(p)!)).Where(static r => r.Allowed is not null)];
        ranges.Length.ShouldBeGreaterThanOrEqualTo(atLeast);
        ranges.Where(r => rows.GetValueOrDefault(r.Name) != r.Allowed)
            .Select(r => $"{file}: {r.Name} says '{rows.GetValueOrDefault(r.Name)}', checked is '{r.Allowed}'").ShouldBeEmpty();
    }

    /// <summary>Whoever reads the page of a field sees all that can be set: in the table, or in the text below it where code alone sets it.</summary>
    [Theory]
    [InlineData("README.md", "option", typeof(AdaptivePoolOptions))]
    [InlineData("README.md", "setting of a class", typeof(WorkClass))]
    [InlineData("docs/gate.md", "key", typeof(TransactionGateOptions), "Name", "MeterFactory", "Bypass", "HillClimbing", "Fleet")]
    [InlineData("docs/data.md", "option", typeof(GatedDataSourceOptions))]
    [InlineData("docs/control.md", "option", typeof(HillClimbingOptions), "Seed")]
    [InlineData("docs/control-seed.md", "#", typeof(SeedWaveOptions))]
    [InlineData("docs/hosting.md", "key below \"AdaptivePool\"", typeof(AdaptivePoolHostingOptions))]
    [InlineData("docs/scale-out.md", "option", typeof(LoadReportingOptions))]
    [InlineData("docs/scale-out.md", "`CollaborativeBalancerOptions`", typeof(CollaborativeBalancerOptions))]
    [InlineData("docs/scale-out.md", "`CollaborativeProxyOptions`", typeof(CollaborativeProxyOptions))]
    [InlineData("docs/scale-out.md", "`CollaborativeHandlerOptions`", typeof(CollaborativeHandlerOptions))]
    [InlineData("docs/scale-out.md", "`CollaborativeRoundRobinOptions`", typeof(CollaborativeRoundRobinOptions))]
    [InlineData("docs/scale-out.md", "`TargetOverloadOptions`", typeof(TargetOverloadOptions))]
    [InlineData("docs/scale-out.md", "`GrowthOverloadOptions`", typeof(GrowthOverloadOptions))]
    public void Page_EachOption_HasARow(string file, string header, Type options, params string[] belowTheTable)
    {
        string[] rows = [.. Documents.TableRows(file, header).SelectMany(static row => row.Take(3)).SelectMany(static cell => cell.Split(", "))
            .Select(static name => name.Trim('`'))];
        bool isClass = options == typeof(WorkClass);
        string[] all = [.. options.GetProperties(BindingFlags.Instance | BindingFlags.Public)
            .Where(property => !isClass || property.SetMethod is { IsPublic: true }).Select(static property => property.Name)];
        all.Length.ShouldBeGreaterThan(1);
        all.Except(rows, StringComparer.Ordinal).ShouldBe(belowTheTable, ignoreOrder: true);
        string text = Repository.Read(file);
        belowTheTable.Where(name => name != "Name" && !text.Contains($"`{name}`", StringComparison.Ordinal)).ShouldBeEmpty();
    }

    [Fact]
    public void Options_EachPublicType_HasAPage()
    {
        Type[] withPage = [.. typeof(OptionTablesTests).GetMethod(nameof(Page_EachOption_HasARow))!.GetCustomAttributesData()
            .Where(static data => data.AttributeType == typeof(InlineDataAttribute))
            .Select(static data => (IReadOnlyList<CustomAttributeTypedArgument>)data.ConstructorArguments[0].Value!)
            .Select(static arguments => (Type)arguments[2].Value!)];
        SnippetReferences.OwnPackages.SelectMany(static package => Assembly.Load(package).GetExportedTypes())
            .Where(static type => type.Name.EndsWith("Options", StringComparison.Ordinal))
            .Append(typeof(WorkClass))
            .ShouldBe(withPage, ignoreOrder: true);
    }

    [Fact]
    public void Table_OfTheSearch_HasItsDefaults() =>
        Documents.TableRows("docs/control.md", "option").Select(static row => $"{row[0].Trim('`')} = {row[1]}").ShouldBe(
            typeof(HillClimbingOptions).GetProperties(BindingFlags.Instance | BindingFlags.Public).Where(static p => p.Name != "Seed")
                .Select(static p => $"{p.Name} = {OptionTables.Text(p.GetValue(new HillClimbingOptions())!)}"));

    /// <summary>An option that can be a number or a time has a range: nothing is accepted that nobody thought of.</summary>
    [Theory]
    [InlineData(typeof(AdaptivePoolOptions))]
    [InlineData(typeof(TransactionGateOptions))]
    [InlineData(typeof(GatedDataSourceOptions))]
    [InlineData(typeof(HillClimbingOptions))]
    [InlineData(typeof(SeedWaveOptions))]
    public void Options_EachNumberAndTime_HasARange(Type options) =>
        options.GetProperties()
            .Where(static p => (Nullable.GetUnderlyingType(p.PropertyType) ?? p.PropertyType) is var type
                && (type == typeof(int) || type == typeof(double) || type == typeof(TimeSpan)))
            .Where(static p => p.GetCustomAttribute<OptionRangeAttribute>() is null)
            .Select(static p => p.Name)
            .ShouldBeEmpty();

    [Fact]
    public void Documentation_OfEachRange_NamesItsBounds()
    {
        // What users read at the property says the same as what is checked.
        foreach ((string file, Type options) in new[]
        {
            ("src/AdaptivePool/AdaptivePoolOptions.cs", typeof(AdaptivePoolOptions)),
                ("src/AdaptivePool/Admission/TransactionGateOptions.cs", typeof(TransactionGateOptions)),
            ("src/AdaptivePool.Data/GatedDataSourceOptions.cs", typeof(GatedDataSourceOptions)),
            ("src/AdaptivePool/Control/HillClimbingOptions.cs", typeof(HillClimbingOptions)),
            ("src/AdaptivePool/Control/SeedWaveOptions.cs", typeof(SeedWaveOptions)),
        })
        {
            foreach (PropertyInfo option in options.GetProperties().Where(static p => p.GetCustomAttribute<OptionRangeAttribute>() is not null))
            {
                string range = OptionTables.Allowed(option)!.Split(", ")[0].Split(',')[0];
                string summary = ConfigurationSchema.Summary(file, option.Name).Replace("Zero", "0", StringComparison.Ordinal);
                string[] bounds = range.Split(" to ");
                bounds.Where(bound => !summary.Contains(bound.Split(' ')[0], StringComparison.Ordinal))
                    .ShouldBeEmpty($"{file}: {option.Name} is documented without '{range}'");
            }
        }
    }
}
