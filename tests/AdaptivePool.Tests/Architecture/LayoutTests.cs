using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace AdaptivePool.Tests.Architecture;

/// <summary>Where things are: file length, folder = namespace, file = type, no folder for leftovers.</summary>
public sealed class LayoutTests
{
    private const int LongestFile = 400;
    private const int LongestLine = 160;

    private static readonly System.Text.RegularExpressions.Regex s_sql = new(@"^\s*(CREATE|INSERT|IF|global using) ");

    [Fact]
    public void Files_None_IsTooLong()
    {
        IEnumerable<string> tooLong = Repository.SourceFiles()
            .Select(f => (File: f, Lines: File.ReadLines(Path.Combine(Repository.Root, f)).Count()))
            .Where(f => f.Lines > LongestFile)
            .Select(f => $"{f.File}: {f.Lines} lines, at most {LongestFile} are allowed");
        tooLong.ShouldBeEmpty();
    }

    [Fact]
    public void Lines_OfSourcesAndDocuments_AreShortEnoughToRead()
    {
        IEnumerable<string> sources = Repository.SourceFiles();
        IEnumerable<string> documents = Documents.Present();
        List<string> tooLong = [];
        foreach (string file in sources.Concat(documents))
        {
            bool isCode = false;
            int number = 0;
            foreach (string line in File.ReadLines(Path.Combine(Repository.Root, file)))
            {
                number++;
                isCode ^= file.EndsWith(".md", StringComparison.Ordinal) && line.StartsWith("```", StringComparison.Ordinal);

                // A table row cannot be wrapped, nor a command, an address, or a text that something else reads (SQL, a pattern, a message with its holes).
                bool isOnePiece = isCode || line.StartsWith('|') || line.Contains("https://", StringComparison.Ordinal) || IsText(file, line);
                if (line.Length > LongestLine && !isOnePiece)
                {
                    tooLong.Add($"{file}({number}): {line.Length} columns, at most {LongestLine} are allowed");
                }
            }
        }

        tooLong.ShouldBeEmpty();
    }

    /// <summary>In tests and tools only: what users run has its texts in pieces.</summary>
    private static bool IsText(string file, string line) =>
        !file.StartsWith("src/", StringComparison.Ordinal) && file.EndsWith(".cs", StringComparison.Ordinal)
        && (line.Contains('"', StringComparison.Ordinal) || s_sql.IsMatch(line));

    [Fact]
    public void Namespaces_Each_IsItsFolder()
    {
        List<string> wrong = [];
        foreach (string file in Repository.SourceFiles())
        {
            string project = Repository.ProjectFolder(file);
            string folder = Path.GetDirectoryName(file)!.Replace('\\', '/');
            string expected = Path.GetFileName(project) + folder[project.Length..].Replace('/', '.');
            foreach (BaseNamespaceDeclarationSyntax declaration in Parse(file).DescendantNodes().OfType<BaseNamespaceDeclarationSyntax>())
            {
                string found = declaration.Name.ToString();
                if (found != expected && !IsConventionOfTheFramework(file, found))
                {
                    wrong.Add($"{file}: namespace {found}, its folder says {expected}");
                }
            }
        }

        wrong.ShouldBeEmpty();
    }

    /// <summary>The two rules of style. The compiler's own analyzers of style would check them, too, for two thirds of the analysis of a build.</summary>
    [Fact]
    public void Declarations_HaveOneNamespaceForTheFileAndSayWhoMaySeeThem()
    {
        IEnumerable<string> wrong = Repository.SourceFiles()
            .SelectMany(static file => Parse(file).DescendantNodes(static node => node is not (BlockSyntax or ArrowExpressionClauseSyntax)))
            .OfType<MemberDeclarationSyntax>()
            .Where(static member => member is NamespaceDeclarationSyntax || (MustSayWhoMaySeeIt(member) && !member.Modifiers.Any(IsOfAccess)))
            .Select(static member => $"{member.SyntaxTree.FilePath}({member.GetLocation().GetLineSpan().StartLinePosition.Line + 1})");
        wrong.ShouldBeEmpty();
    }

    private static bool MustSayWhoMaySeeIt(MemberDeclarationSyntax member) => member switch
    {
        BaseNamespaceDeclarationSyntax or GlobalStatementSyntax or EnumMemberDeclarationSyntax or DestructorDeclarationSyntax => false,
        MethodDeclarationSyntax { ExplicitInterfaceSpecifier: not null } => false,
        BasePropertyDeclarationSyntax { ExplicitInterfaceSpecifier: not null } => false,
        ConstructorDeclarationSyntax => !member.Modifiers.Any(SyntaxKind.StaticKeyword),
        _ => member.Parent is not InterfaceDeclarationSyntax && !member.Modifiers.Any(SyntaxKind.PartialKeyword),
    };

    private static bool IsOfAccess(SyntaxToken modifier) => modifier.Kind()
        is SyntaxKind.PublicKeyword or SyntaxKind.InternalKeyword or SyntaxKind.PrivateKeyword or SyntaxKind.ProtectedKeyword or SyntaxKind.FileKeyword;

    [Fact]
    public void Files_Each_HoldsTheOneTypeItIsNamedAfter()
    {
        List<string> wrong = [];
        foreach (string file in Repository.SourceFiles())
        {
            string[] types = [.. TopLevelTypes(Parse(file)).Distinct()];
            string name = Path.GetFileName(file).Split('.')[0];
            if (name is "Program" or "AssemblyInfo" or "GlobalUsings")
            {
                continue;
            }

            if (types.Length != 1 || types[0] != name)
            {
                wrong.Add($"{file}: holds {string.Join(", ", types)}");
            }
        }

        wrong.ShouldBeEmpty();
    }

    [Fact]
    public void Files_NamedAfterAnAspect_ArePartial()
    {
        List<string> wrong = [];
        foreach (string file in Repository.SourceFiles().Where(f => Path.GetFileNameWithoutExtension(f).Contains('.', StringComparison.Ordinal)))
        {
            if (!Parse(file).DescendantNodes().OfType<TypeDeclarationSyntax>().First().Modifiers.Any(SyntaxKind.PartialKeyword))
            {
                wrong.Add($"{file}: Type.Aspect.cs is for partial types");
            }
        }

        wrong.ShouldBeEmpty();
    }

    [Fact]
    public void Folders_None_IsForLeftovers()
    {
        string[] leftovers = ["Utils", "Util", "Helpers", "Helper", "Common", "Misc"];
        Repository.SourceFiles().Where(f => f.Split('/').Intersect(leftovers, StringComparer.OrdinalIgnoreCase).Any()).ShouldBeEmpty();
    }

    [Fact]
    public void Suppressions_Each_SaysWhyOnItsLine()
    {
        List<string> silent = [];
        foreach (string file in Repository.SourceFiles())
        {
            foreach (SyntaxTrivia trivia in Parse(file).DescendantTrivia(descendIntoTrivia: true).Where(t => t.IsKind(SyntaxKind.PragmaWarningDirectiveTrivia)))
            {
                string line = trivia.ToFullString();
                if (line.Contains("disable", StringComparison.Ordinal) && !line.Contains("//", StringComparison.Ordinal))
                {
                    silent.Add($"{file}: {line.Trim()}");
                }
            }
        }

        silent.ShouldBeEmpty();
    }

    [Fact]
    public void Tests_None_IsSkipped()
    {
        List<string> skipped = [];
        foreach (string file in Repository.SourceFiles().Where(f => f.StartsWith("tests/", StringComparison.Ordinal)))
        {
            skipped.AddRange(Parse(file).DescendantNodes().OfType<AttributeArgumentSyntax>()
                .Where(a => a.NameEquals?.Name.Identifier.Text == "Skip")
                .Select(a => $"{file}: {a.Parent?.Parent}"));
        }

        skipped.ShouldBeEmpty();
    }

    [Fact]
    public void Solution_ListsEveryProject()
    {
        string solution = Repository.Read("AdaptivePool.sln").Replace('\\', '/');
        string[] missing = [.. new[] { "src", "tests", "samples", "benchmarks" }
            .SelectMany(f => Repository.Files(f, "*.csproj"))
            .Where(p => !solution.Contains(p, StringComparison.Ordinal))];
        missing.ShouldBeEmpty();
    }

    /// <summary>Extension methods that ASP.NET Core puts where its users find them, and an attribute that a compiler looks for by its full name.</summary>
    private static bool IsConventionOfTheFramework(string file, string found) => found switch
    {
        "Microsoft.Extensions.DependencyInjection" =>
            file.StartsWith("src/AdaptivePool.Hosting/", StringComparison.Ordinal) || file.StartsWith("src/AdaptivePool.Yarp/", StringComparison.Ordinal),
        "Microsoft.AspNetCore.Builder" => true,
        "System.Runtime" => Path.GetFileName(file) == "BypassReadyToRunAttribute.cs",
        _ => false,
    };

    private static SyntaxNode Parse(string file) => SourceModel.Parse(file).GetRoot();

    private static IEnumerable<string> TopLevelTypes(SyntaxNode root) =>
        root.DescendantNodes(n => n is CompilationUnitSyntax or BaseNamespaceDeclarationSyntax)
            .Select(n => n switch
            {
                BaseTypeDeclarationSyntax type => type.Identifier.Text,
                DelegateDeclarationSyntax type => type.Identifier.Text,
                _ => null,
            })
            .OfType<string>();
}
