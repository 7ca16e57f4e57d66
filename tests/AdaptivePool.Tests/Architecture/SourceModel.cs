using System.Collections.Concurrent;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace AdaptivePool.Tests.Architecture;

/// <summary>The sources as the compiler understands them, so that a rule sees what is used and not what is spelt.</summary>
internal static class SourceModel
{
    private static readonly ConcurrentDictionary<string, SyntaxTree> s_trees = new(StringComparer.Ordinal);

    private static readonly Lazy<CSharpCompilation> s_core =
        new(() => Compile("AdaptivePool", "AdaptivePool", "AdaptivePool.Data", "AdaptivePool.EntityFrameworkCore", "AdaptivePool.Hosting",
        "AdaptivePool.Tests"));

    private static readonly Lazy<CSharpCompilation> s_data =
        new(() => Compile("AdaptivePool.Data", "AdaptivePool.Data", "AdaptivePool.EntityFrameworkCore", "AdaptivePool.Tests"));

    private static readonly Lazy<CSharpCompilation> s_hosting =
        new(() => Compile("AdaptivePool.Hosting", "AdaptivePool.Hosting", "AdaptivePool.Yarp", "AdaptivePool.Tests"));

    private static readonly Lazy<IReadOnlyList<TypeUse>> s_uses = new(() => [.. FindUses(s_core.Value)]);

    /// <summary>What implicit usings add to each file of a plain project.</summary>
    public const string ImplicitUsings = """
        global using System; global using System.Collections.Generic; global using System.IO; global using System.Linq; global using System.Net.Http;
        global using System.Threading; global using System.Threading.Tasks;
        """;

    /// <summary>The same for a web project.</summary>
    public const string WebUsings = ImplicitUsings + """
        global using System.Net.Http.Json; global using Microsoft.AspNetCore.Builder; global using Microsoft.AspNetCore.Hosting; global using Microsoft.AspNetCore.Http;
        global using Microsoft.AspNetCore.Routing; global using Microsoft.Extensions.Configuration; global using Microsoft.Extensions.DependencyInjection;
        global using Microsoft.Extensions.Hosting; global using Microsoft.Extensions.Logging;
        """;

    public static CSharpParseOptions ParseOptions { get; } = new(LanguageVersion.Preview);

    /// <summary>The assemblies that this test process can load: the runtime, ASP.NET Core, our own and our packages.</summary>
    public static IReadOnlyList<MetadataReference> References { get; } =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(File.Exists)
            .Select(p => MetadataReference.CreateFromFile(p)),
    ];

    /// <summary>Every use of a named type or member in src/AdaptivePool.</summary>
    public static IReadOnlyList<TypeUse> CoreUses => s_uses.Value;

    public static CSharpCompilation Core => s_core.Value;

    /// <summary>The sources of src/AdaptivePool.Data, on the assembly of the core.</summary>
    public static CSharpCompilation Data => s_data.Value;

    /// <summary>The sources of src/AdaptivePool.Hosting, on the assemblies below it; what generators add is not there.</summary>
    public static CSharpCompilation Hosting => s_hosting.Value;

    public static SyntaxTree Parse(string file) =>
        s_trees.GetOrAdd(file, f => CSharpSyntaxTree.ParseText(Repository.Read(f), ParseOptions, path: f));

    /// <summary>The sources of a project under its own name, so that it sees what its friends show it; without the assemblies that it is, or that stand on
    /// it.</summary>
    private static CSharpCompilation Compile(string project, params string[] without) => CSharpCompilation.Create(
        project,
        [CSharpSyntaxTree.ParseText(project == "AdaptivePool.Hosting" ? WebUsings : ImplicitUsings, ParseOptions),
            .. Repository.Files($"src/{project}", "*.cs").Select(Parse)],
        References.Where(r => !without.Contains(Path.GetFileNameWithoutExtension(r.Display))),
        new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true, nullableContextOptions: NullableContextOptions.Enable));

    private static IEnumerable<TypeUse> FindUses(CSharpCompilation compilation)
    {
        foreach (SyntaxTree tree in compilation.SyntaxTrees.Where(t => t.FilePath.Length > 0))
        {
            SemanticModel model = compilation.GetSemanticModel(tree);
            foreach (SimpleNameSyntax name in tree.GetRoot().DescendantNodes().OfType<SimpleNameSyntax>())
            {
                ISymbol? symbol = model.GetSymbolInfo(name).Symbol;
                INamedTypeSymbol? type = symbol as INamedTypeSymbol ?? symbol?.ContainingType;
                if (type is { IsAnonymousType: false, TypeKind: not TypeKind.Error })
                {
                    yield return new TypeUse(tree.FilePath, name.GetLocation().GetLineSpan().StartLinePosition.Line + 1, type);
                }
            }
        }
    }
}
