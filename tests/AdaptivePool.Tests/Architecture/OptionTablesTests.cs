using System.Reflection;
using AdaptivePool.Admission;
using AdaptivePool.Data;

namespace AdaptivePool.Tests.Architecture;

/// <summary>The ranges in the tables of the documents are those of the attributes, by which options are checked.</summary>
public sealed class OptionTablesTests
{
    [Theory]
    [InlineData("README.md", "option", typeof(AdaptivePoolOptions), 14)]
    [InlineData("docs/gate.md", "key", typeof(TransactionGateOptions), 10)]
    [InlineData("docs/data.md", "option", typeof(GatedDataSourceOptions), 2)]
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

    /// <summary>An option that can be a number or a time has a range: nothing is accepted that nobody thought of.</summary>
    [Theory]
    [InlineData(typeof(AdaptivePoolOptions))]
    [InlineData(typeof(TransactionGateOptions))]
    [InlineData(typeof(GatedDataSourceOptions))]
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
