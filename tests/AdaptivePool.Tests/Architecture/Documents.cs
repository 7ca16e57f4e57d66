using System.Text.RegularExpressions;

namespace AdaptivePool.Tests.Architecture;

/// <summary>The Markdown files and what they claim about code.</summary>
internal static partial class Documents
{
    /// <summary>The documents that speak about the code as it is; records of decisions and the changelog speak about its past as well.</summary>
    public static IReadOnlyList<string> Present() =>
    [
        "README.md",
        "CONTRIBUTING.md",
        .. Repository.Files("docs", "*.md").Where(f => !f.StartsWith("docs/adr/", StringComparison.Ordinal)),
    ];

    public static IReadOnlyList<string> All() => [.. Present(), "CHANGELOG.md", .. Repository.Files("docs/adr", "*.md")];

    /// <summary>Fenced blocks of a language, with the line they start at.</summary>
    public static IEnumerable<(int Line, string Code)> Blocks(string file, string language)
    {
        string text = Repository.Read(file);
        foreach (Match match in Block().Matches(text))
        {
            if (match.Groups["language"].Value == language)
            {
                yield return (text.AsSpan(0, match.Index).Count('\n') + 2, match.Groups["code"].Value);
            }
        }
    }

    /// <summary>The project that a snippet says it belongs to; <see langword="null"/> when it says nothing.</summary>
    public static (bool IsWeb, IReadOnlyList<string> Packages)? ProjectOf(string code) =>
        Project().Match(code) is { Success: true } match
            ? (match.Groups["template"].Value == "web", match.Groups["packages"].Value.Split(", "))
            : null;

    /// <summary>Names in backticks that look like a type or a member of a type of .NET: an upper-case letter, then letters with at least two humps.</summary>
    public static IEnumerable<(int Line, string Name)> CodeNames(string file)
    {
        string text = Block().Replace(Repository.Read(file), m => new string('\n', m.Value.Count(c => c == '\n')));
        foreach (Match match in CodeName().Matches(text))
        {
            yield return (text.AsSpan(0, match.Index).Count('\n') + 1, match.Groups["name"].Value);
        }
    }

    /// <summary>Targets of relative links.</summary>
    public static IEnumerable<string> Links(string file) =>
        Link().Matches(Repository.Read(file)).Select(m => m.Groups["target"].Value)
            .Where(t => !t.Contains("://", StringComparison.Ordinal) && !t.StartsWith('#'));

    /// <summary>Relative links to headings: the file, empty for the document itself, and the heading as links name it.</summary>
    public static IEnumerable<(string Path, string Anchor)> Anchors(string file) =>
        Link().Matches(Repository.Read(file)).Select(m => m.Groups["target"].Value)
            .Where(t => !t.Contains("://", StringComparison.Ordinal) && t.Contains('#', StringComparison.Ordinal))
            .Select(t => t.Split('#')).Select(static parts => (parts[0], parts[1]));

    /// <summary>The headings of a document as links name them: in lower case, letters, digits and hyphens, with a hyphen for each blank.</summary>
    public static HashSet<string> Headings(string file) =>
        [.. Heading().Matches(Block().Replace(Repository.Read(file), "")).Select(static m => m.Groups["text"].Value.Trim().ToLowerInvariant())
            .Select(static text => string.Concat(text.Where(static c => char.IsLetterOrDigit(c) || c is ' ' or '-' or '_')).Replace(' ', '-'))];

    /// <summary>Rows of the first table whose header starts with the given cell.</summary>
    public static IEnumerable<string[]> TableRows(string file, string firstHeader)
    {
        string[] lines = Repository.Read(file).Split('\n');
        int header = Array.FindIndex(lines, l => l.StartsWith("| " + firstHeader + " |", StringComparison.Ordinal));
        for (int i = header + 2; header >= 0 && i < lines.Length && lines[i].StartsWith('|'); i++)
        {
            yield return [.. lines[i].Trim().Trim('|').Split('|').Select(c => c.Trim())];
        }
    }

    [GeneratedRegex(@"^```(?<language>\w*)[^\n]*\n(?<code>.*?)^```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Block();

    [GeneratedRegex(@"\A// (?:Web|Console) app \(dotnet new (?<template>web|console)\) with the packages? (?<packages>[A-Za-z.]+(?:, [A-Za-z.]+)*)\.\n")]
    private static partial Regex Project();

    [GeneratedRegex(@"`(?<name>[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+)(?:<[^`]*>)?(?:\([^`]*\))?`")]
    private static partial Regex CodeName();

    [GeneratedRegex(@"^#{1,6} (?<text>.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"\]\((?<target>[^)\s]+)\)")]
    private static partial Regex Link();
}
