using System.Text.RegularExpressions;

namespace AdaptivePool.Tests.Architecture;

/// <summary>What comments in the sources and records of decisions cite is in this repository: rules, studies, records of decisions, documents.</summary>
public sealed partial class CitationTests
{
    private const string FoundingDocument = "docs/studies/founding-document.md";

    private static readonly Lazy<IReadOnlyList<(string File, string Text)>> s_comments = new(() =>
        [.. Repository.SourceFiles().SelectMany(Comments), .. Repository.Files("docs/adr", "*.md").SelectMany(Paragraphs)]);

    [Fact]
    public void Rules_EachCited_IsInTheTable()
    {
        string[] known = [.. Documents.TableRows("docs/rules.md", "rule").Select(static row => row[0])];
        Resolve(Rule(), static match => match.Groups["name"].Captures.Select(static c => c.Value), known.Contains, atLeast: 20);
        known.ShouldBe(Enumerable.Range(1, 10).Select(static i => $"R{i}"), ignoreOrder: true);
    }

    [Fact]
    public void SizingRules_EachCited_AreInTheStudy()
    {
        string[] known = [.. Documents.TableRows("docs/studies/sizing.md", "rule").Select(static row => row[0])];
        Resolve(SizingRule(), static match => match.Groups["name"].Captures.Select(static c => c.Value), known.Contains, atLeast: 2);
    }

    [Fact]
    public void Studies_EachSectionCited_Exists() => Resolve(
        Study(),
        static match => [match.Groups["study"].Value + " " + match.Groups["section"].Value],
        static cited => cited.Split(' ') is [var study, var section] && File.Exists(Path.Combine(Repository.Root, $"docs/studies/{study}.md"))
            && Regex.IsMatch(Repository.Read($"docs/studies/{study}.md"), $@"^## {Regex.Escape(section)} ", RegexOptions.Multiline),
        atLeast: 3);

    [Fact]
    public void FoundingDocument_EachPartCited_IsInTheTable()
    {
        string[] known = [.. Documents.TableRows(FoundingDocument, "part").Select(static row => row[0].Trim('"'))];
        Resolve(Seed(), static match => match.Groups["part"].Captures.Select(static c => c.Value), known.Contains, atLeast: 4);
    }

    [Fact]
    public void Decisions_EachCited_AreRecorded() =>
        Resolve(Decision(), static match => match.Groups["number"].Captures.Select(static c => c.Value.PadLeft(4, '0')), static number
            => Repository.Files("docs/adr", number + "-*.md").Count == 1, atLeast: 30);

    [Fact]
    public void Decisions_EachRecorded_IsInTheIndex()
    {
        string index = Repository.Read("docs/adr/README.md");
        IReadOnlyList<string> records = Repository.Files("docs/adr", "0*.md");
        records.Count.ShouldBeGreaterThan(50);
        records.Where(file => !index.Contains($"]({Path.GetFileName(file)})", StringComparison.Ordinal)).ShouldBeEmpty();
    }

    /// <summary>Who reads a decision sees in its status which later ones changed it, and these name what they change.</summary>
    [Fact]
    public void Statuses_OneThatNamesAnother_IsNamedThere()
    {
        Dictionary<string, HashSet<string>> named = Repository.Files("docs/adr", "0*.md").ToDictionary(
            static file => Path.GetFileName(file)[..4],
            static file => StatusLink().Matches(Paragraphs(file).First(static it => it.Text.Contains("Status: ", StringComparison.Ordinal)).Text)
                .Select(static link => link.Groups[1].Value).ToHashSet());
        named.Values.Sum(static links => links.Count).ShouldBeGreaterThan(50);
        named.SelectMany(one => one.Value.Where(other => !named[other].Contains(one.Key)).Select(other => $"{other} does not name {one.Key}")).ShouldBeEmpty();
    }

    [Fact]
    public void Documents_EachCited_Exist() =>
        Resolve(Document(), static match => [match.Value], static path => Path.Exists(Path.Combine(Repository.Root, path)), atLeast: 15);

    /// <summary>A section of nothing that is named cannot be looked up; nor can a page that only we have.</summary>
    [Fact]
    public void Sections_EachCited_SaysOfWhat()
    {
        IEnumerable<string> wrong = s_comments.Value.SelectMany(static c => Loose().Matches(Study().Replace(c.Text, "")).Select(m => $"{c.File}: {m.Value}"));
        wrong.ShouldBeEmpty();
    }

    private static IEnumerable<(string File, string Text)> Paragraphs(string file) =>
        Repository.Read(file).Split("\n\n").Select(text => (file, text.Replace('\n', ' ')));

    private static void Resolve(Regex citation, Func<Match, IEnumerable<string>> names, Func<string, bool> exists, int atLeast)
    {
        (string File, string Name)[] cited = [.. s_comments.Value.SelectMany(c => citation.Matches(c.Text).SelectMany(names).Select(name => (c.File, name)))];
        cited.Length.ShouldBeGreaterThanOrEqualTo(atLeast, "the pattern finds too little to mean anything");
        cited.Where(c => !exists(c.Name)).Select(static c => $"{c.File}: {c.Name}").ShouldBeEmpty();
    }

    /// <summary>Comments of a file, each with its lines joined.</summary>
    private static IEnumerable<(string File, string Text)> Comments(string file)
    {
        List<string> open = [];
        foreach (string line in Repository.Read(file).Split('\n').Append(""))
        {
            int start = line.IndexOf("//", StringComparison.Ordinal);
            if (start >= 0)
            {
                open.Add(line[start..].TrimStart('/').Trim());
            }
            else if (open.Count > 0)
            {
                yield return (file, string.Join(' ', open));
                open.Clear();
            }
        }
    }

    [GeneratedRegex(@"\]\((\d{4})-")]
    private static partial Regex StatusLink();

    [GeneratedRegex(@"\b[Rr]ules? (?<name>R\d+)\b(?:(?:,| and| to) (?<name>R\d+)\b)*")]
    private static partial Regex Rule();

    [GeneratedRegex(@"\brules? (?<name>10[a-z])\b(?: (?:to|and) (?<name>10[a-z])\b)?")]
    private static partial Regex SizingRule();

    [GeneratedRegex(@"\b(?<study>[a-z]+) study, section (?<section>\d+(?:\.\d+)?)")]
    private static partial Regex Study();

    [GeneratedRegex("seed 000(?: lists it \\(|, )\"(?<part>[^\"]+)\"(?: and \"(?<part>[^\"]+)\")*")]
    private static partial Regex Seed();

    [GeneratedRegex(@"\b(?:ADRs?|[Dd]ecisions?) (?<number>\d+)\b(?:(?:,| and) (?<number>\d+)\b)*")]
    private static partial Regex Decision();

    [GeneratedRegex(@"\bdocs/\w[\w/-]*(?:\.md)?")]
    private static partial Regex Document();

    [GeneratedRegex("""
        \bsection\ \d|\b[Dd]esign(?:'s)?,?\ (?:rule|section)|\b[Tt]he\ (?:design|issue)(?:'s)?\b|\(reference|\bstudy,\ \d|\brules?\ \d+\b(?![a-z])
        |\bseed\ 000\b(?!(?:\ lists\ it\ \(|,\ )")
        """, RegexOptions.IgnorePatternWhitespace)]
    private static partial Regex Loose();
}
