using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace AdaptivePool.Mutation.Schemata;

/// <summary>The mutants of a build. Those that do not compile are left out: the writer asks for each, in the same order each time.</summary>
/// <param name="leftOut">Keys of those that do not compile.</param>
/// <param name="first">Number of the first.</param>
internal sealed partial class MutantList(IReadOnlySet<string> leftOut, int first)
{
    private readonly Dictionary<string, int> _occurrences = new(StringComparer.Ordinal);

    public List<Mutant> All { get; } = [];

    /// <summary>The mutant of a number.</summary>
    public Mutant this[int id] => All[id - first];

    /// <summary>The number of a new mutant; <see langword="null"/> when it is one that does not compile.</summary>
    public int? Add(string path, SyntaxNode place, string operation, SyntaxNode code)
    {
        string text = Spaces().Replace(code.WithoutTrivia().ToString(), " ");
        var mutant = new Mutant(first + All.Count, path, place.GetLocation().GetLineSpan().StartLinePosition.Line + 1, MemberOf(place), operation, text, 1);
        int occurrence = _occurrences.GetValueOrDefault(mutant.Key) + 1;
        _occurrences[mutant.Key] = occurrence;
        mutant = mutant with { Occurrence = occurrence };
        if (leftOut.Contains(mutant.Key))
        {
            return null;
        }

        All.Add(mutant);
        return mutant.Id;
    }

    private static string MemberOf(SyntaxNode place)
    {
        string type = place.Ancestors().OfType<TypeDeclarationSyntax>().FirstOrDefault()?.Identifier.Text ?? "";
        string member = place.AncestorsAndSelf().OfType<MemberDeclarationSyntax>().FirstOrDefault() switch
        {
            MethodDeclarationSyntax method => method.Identifier.Text,
            PropertyDeclarationSyntax property => property.Identifier.Text,
            ConstructorDeclarationSyntax => "constructor",
            OperatorDeclarationSyntax operation => operation.OperatorToken.Text,
            FieldDeclarationSyntax field => field.Declaration.Variables[0].Identifier.Text,
            IndexerDeclarationSyntax => "indexer",
            _ => "",
        };
        return $"{type}.{member}";
    }

    [GeneratedRegex(@"\s+")]
    private static partial Regex Spaces();
}
