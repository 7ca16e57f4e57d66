using System.Globalization;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace AdaptivePool.Tests.Architecture;

/// <summary>What the documents say about the code is true: snippets compile, defaults are those of the assembly, names and links exist.</summary>
public sealed class DocsTests
{
    public static TheoryData<string> EachDocument => [.. Documents.All()];

    [Fact]
    public void Readme_HasSnippets() => Documents.Blocks("README.md", "csharp").Count().ShouldBeGreaterThanOrEqualTo(3);

    /// <summary>Each snippet begins with the project it belongs to; it may use what that template and those packages bring, and its own usings.</summary>
    [Theory]
    [MemberData(nameof(EachDocument))]
    public void Snippets_EachAlone_CompilesInTheProjectItNames(string file)
    {
        List<string> errors = [];
        foreach ((int line, string code) in Documents.Blocks(file, "csharp"))
        {
            if (Documents.ProjectOf(code) is not { } project)
            {
                errors.Add($"{file}, snippet at line {line}: its first line must be '// Web app (dotnet new web) with the package NAME.' or '// Console app "
                    + "(dotnet new console) with the package NAME.'; '... packages NAME, NAME.' for several");
                continue;
            }

            var compilation = CSharpCompilation.Create(
                "Snippet",
                [CSharpSyntaxTree.ParseText(project.IsWeb ? SourceModel.WebUsings : SourceModel.ImplicitUsings, SourceModel.ParseOptions),
                    CSharpSyntaxTree.ParseText(code, SourceModel.ParseOptions)],
                SnippetReferences.Of(project),
                new CSharpCompilationOptions(OutputKind.ConsoleApplication, nullableContextOptions: NullableContextOptions.Enable));
            errors.AddRange(compilation.GetDiagnostics().Where(d => d.Severity == DiagnosticSeverity.Error)
                .Select(d => $"{file}, snippet at line {line}: {d}"));
        }

        errors.ShouldBeEmpty();
    }

    [Fact]
    public void Readme_NamesEachPackage()
    {
        string readme = Repository.Read("README.md");
        foreach (string package in SnippetReferences.OwnPackages)
        {
            readme.ShouldContain($"dotnet add package {package}", customMessage: "a new user must find out what to install");
        }
    }

    [Fact]
    public void Readme_TableOfOptions_HasEachOptionWithItsDefault()
    {
        var options = new AdaptivePoolOptions();
        IEnumerable<string> actual = typeof(AdaptivePoolOptions)
            .GetProperties(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly)
            .Select(p => $"`{p.Name}` = `{Shown(p.GetValue(options))}`");
        IEnumerable<string> documented = Documents.TableRows("README.md", "option").Select(row => $"{row[0]} = {row[1]}");
        documented.ShouldBe(actual, ignoreOrder: true);
    }

    [Fact]
    public void Names_InBackticks_Exist()
    {
        HashSet<string> known = KnownNames();
        known.Add(nameof(AdaptivePool));
        List<string> missing = [];
        foreach (string file in Documents.Present())
        {
            missing.AddRange(Documents.CodeNames(file).Where(n => !known.Contains(n.Name)).Select(n => $"{file}({n.Line}): {n.Name}"));
        }

        missing.ShouldBeEmpty();
    }

    [Theory]
    [MemberData(nameof(EachDocument))]
    public void Links_ToFiles_Exist(string file)
    {
        string folder = Path.GetDirectoryName(Path.Combine(Repository.Root, file))!;
        Documents.Links(file).Where(l => !Path.Exists(Path.Combine(folder, l.Split('#')[0]))).ShouldBeEmpty();
    }

    [Theory]
    [MemberData(nameof(EachDocument))]
    public void Links_ToHeadings_Exist(string file)
    {
        string folder = Path.GetDirectoryName(file)!;
        Documents.Anchors(file)
            .Where(it => !Documents.Headings(it.Path.Length == 0 ? file : Path.Combine(folder, it.Path)).Contains(it.Anchor))
            .ShouldBeEmpty();
    }

    [Fact]
    public void Readme_Commands_NameProjectsThatExist()
    {
        string readme = Repository.Read("README.md");
        readme.ShouldContain("dotnet run -c Release --project samples/AdaptivePool.Sample.Bank -- compare");
        readme.ShouldContain("dotnet test AdaptivePool.sln -c Release");
        File.Exists(Path.Combine(Repository.Root, "samples/AdaptivePool.Sample.Bank/AdaptivePool.Sample.Bank.csproj")).ShouldBeTrue();
        File.Exists(Path.Combine(Repository.Root, "AdaptivePool.sln")).ShouldBeTrue();
    }

    private static string Shown(object? value) => value switch
    {
        null or CancellationToken { CanBeCanceled: false } => "not set",
        TimeSpan time when time == Timeout.InfiniteTimeSpan => "infinite",
        IFormattable formattable => formattable.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString()!,
    };

    /// <summary>Names of types and members in our assemblies and in those that we use.</summary>
    private static HashSet<string> KnownNames()
    {
        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (string path in SourceModel.References.Select(r => r.Display!))
        {
            using var file = new PEReader(File.OpenRead(path));
            if (!file.HasMetadata)
            {
                continue;
            }

            MetadataReader reader = file.GetMetadataReader();
            bool isOurs = Path.GetFileName(path).StartsWith("AdaptivePool", StringComparison.Ordinal);
            foreach (TypeDefinition type in reader.TypeDefinitions.Select(reader.GetTypeDefinition))
            {
                names.Add(reader.GetString(type.Name).Split('`')[0]);
                if (isOurs || (type.Attributes & TypeAttributes.VisibilityMask) == TypeAttributes.Public)
                {
                    names.UnionWith(type.GetMethods().Select(m => reader.GetString(reader.GetMethodDefinition(m).Name)));
                    names.UnionWith(type.GetProperties().Select(p => reader.GetString(reader.GetPropertyDefinition(p).Name)));
                    names.UnionWith(type.GetFields().Select(f => reader.GetString(reader.GetFieldDefinition(f).Name)));
                    names.UnionWith(type.GetEvents().Select(e => reader.GetString(reader.GetEventDefinition(e).Name)));
                }
            }
        }

        return names;
    }
}
