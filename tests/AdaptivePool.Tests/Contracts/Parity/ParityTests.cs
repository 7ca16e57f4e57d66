using AdaptivePool.Tests.Architecture;

namespace AdaptivePool.Tests.Contracts.Parity;

/// <summary>
/// Each case gives the same result on our pool as on the runtime's: through Run as by Task.Run, through a factory as by one of the runtime's, on the pool and
/// in a class. A difference is in docs/conformance.md, or it is a bug.
/// </summary>
[Collection(RuntimePoolCollection.Name)]
public sealed class ParityTests : IClassFixture<ParityRoutes>
{
    private const int Callers = 8;
    private const string Document = "docs/conformance.md";

    private readonly ParityRoutes _routes;

    public ParityTests(ParityRoutes routes) => _routes = routes;

    public static TheoryData<string> Cases => [.. ParityCases.All.Keys];

    [Theory]
    [MemberData(nameof(Cases))]
    public void Result_OfACase_IsThatOfTheRuntimeOrDocumented(string name)
    {
        ParityCase item = ParityCases.All[name];
        List<string> differences = [];
        foreach ((ParityRoute control, ParityRoute[] ours) in _routes.Compared)
        {
            string[] expected = Results(item, control);
            expected.Length.ShouldBe(1, $"the case gives several results on {control.Name}: {string.Join(" | ", expected)}");
            foreach (ParityRoute route in ours)
            {
                string[] actual = Results(item, route);
                if (actual is not [var only] || only != expected[0])
                {
                    differences.Add($"{route.Name}: {string.Join(" | ", actual)} instead of {expected[0]}");
                }
            }
        }

        differences.ShouldBe(Documented().Where(row => row.Case == name).Select(static row => row.Difference), ignoreOrder: true);
    }

    [Fact]
    public void Deviations_Documented_AreOfCasesThatExist()
        => Documented().Select(static row => row.Case).Where(static name => !ParityCases.All.ContainsKey(name)).ShouldBeEmpty();

    [Fact]
    public void Cases_InAll_AreManyAndOfAllFields() => ParityCases.All.Count.ShouldBeGreaterThanOrEqualTo(150);

    private static IEnumerable<(string Case, string Difference)> Documented() =>
        from row in Documents.TableRows(Document, "case")
        from route in row[1].Split(", ")
        select (row[0], $"{route}: {row[2]} instead of {row[3]}");

    /// <summary>The different results of all repetitions.</summary>
    private static string[] Results(ParityCase item, ParityRoute route)
    {
        Task<HashSet<string>>[] callers = [.. Enumerable.Range(0, Callers).Select(_ => Call(item, route))];
        var all = new SortedSet<string>(StringComparer.Ordinal);
        foreach (Task<HashSet<string>> caller in callers)
        {
            all.UnionWith(Eventually.Result(caller, $"'{item.Name}' must end through {route.Name}"));
        }

        return [.. all];
    }

    private static async Task<HashSet<string>> Call(ParityCase item, ParityRoute route)
    {
        var results = new HashSet<string>(StringComparer.Ordinal);
        for (int i = 0; i < item.Repeats / Callers; i++)
        {
            try
            {
                results.Add(await route.Run(() => item.Body(route)).ConfigureAwait(false));
            }
            catch (Exception exception)
            {
                results.Add($"throws {exception.GetType().Name}: {exception.Message}");
            }
        }

        return results;
    }
}
