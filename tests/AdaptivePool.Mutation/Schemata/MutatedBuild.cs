using System.Globalization;
using System.Reflection;
using System.Runtime.Loader;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Emit;

namespace AdaptivePool.Mutation.Schemata;

/// <summary>Compiles each project that is mutated, with all its mutants, into one assembly.</summary>
internal static class MutatedBuild
{
    private static readonly CSharpParseOptions s_parse = new(LanguageVersion.Preview);
    private static readonly EmitOptions s_emit = new(debugInformationFormat: DebugInformationFormat.PortablePdb);

    /// <summary>Writes the mutated assemblies in the place of the original ones.</summary>
    /// <param name="root">Root of the repository.</param>
    /// <param name="scope">Which files are mutated.</param>
    /// <param name="folder">Where the assemblies are.</param>
    /// <param name="log">Told how many mutants do not compile.</param>
    public static IReadOnlyList<Mutant> Write(string root, Func<string, bool> scope, string folder, TextWriter log)
    {
        List<Mutant> all = [];
        foreach (string project in Scope.Projects.Where(p => Sources(root, p).Any(f => scope(Relative(root, f)))))
        {
            all.AddRange(WriteProject(root, project, scope, folder, all.Count, log));
        }

        return all;
    }

    private static List<Mutant> WriteProject(string root, string project, Func<string, bool> scope, string folder, int first, TextWriter log)
    {
        string target = Path.Combine(folder, project + ".dll");
        CSharpCompilation original = Original(root, project, folder);
        HashSet<string> leftOut = new(StringComparer.Ordinal);
        while (true)
        {
            var list = new MutantList(leftOut, first);
            CSharpCompilation mutated = original;
            foreach (SyntaxTree tree in original.SyntaxTrees.Where(t => scope(Relative(root, t.FilePath))))
            {
                var writer = new MutantWriter(original.GetSemanticModel(tree), Relative(root, tree.FilePath), list);
                SyntaxNode written = writer.Visit(tree.GetRoot())!;
                mutated = mutated.ReplaceSyntaxTree(tree, CSharpSyntaxTree.Create((CSharpSyntaxNode)written, s_parse, tree.FilePath, Encoding.UTF8));
            }

            mutated = mutated.AddSyntaxTrees(CSharpSyntaxTree.ParseText(Guard.Source, s_parse, "MutantSwitch.cs", Encoding.UTF8));
            Diagnostic[] errors = Emit(mutated, target);
            if (errors.Length == 0)
            {
                log.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{project}: {list.All.Count} mutants; {leftOut.Count} more do not compile"));
                return list.All;
            }

            int before = leftOut.Count;
            foreach (Diagnostic error in errors)
            {
                leftOut.UnionWith(Guilty(error).Select(id => list[id].Key));
            }

            if (leftOut.Count == before)
            {
                throw new MutationException($"The mutated code does not compile: {string.Join(Environment.NewLine, errors.Take(10).AsEnumerable())}");
            }
        }
    }

    /// <summary>The mutants around an error. One that is about variables stands elsewhere than its reason: all of the member that declare or assign.</summary>
    private static IEnumerable<int> Guilty(Diagnostic error)
    {
        SyntaxTree tree = error.Location.SourceTree ?? throw new MutationException($"The mutated code does not compile: {error}");
        SyntaxNode place = tree.GetRoot().FindNode(error.Location.SourceSpan, getInnermostNodeForTie: true);
        SyntaxNode? marked = place.AncestorsAndSelf().FirstOrDefault(static a => a.HasAnnotations(MutantWriter.Annotation));
        bool isFlow = error.Id is "CS0165" or "CS0177" or "CS0161" or "CS0128" or "CS0136" or "CS0170";
        if (marked is not null && !isFlow)
        {
            return Numbers([marked]);
        }

        SyntaxNode member = place.AncestorsAndSelf().OfType<MemberDeclarationSyntax>().First();
        IEnumerable<SyntaxNode> all = member.DescendantNodes().Where(static n => n.HasAnnotations(MutantWriter.Annotation));
        static bool Declares(SyntaxNode node) => node.DescendantNodes().Any(static d => d is SingleVariableDesignationSyntax or AssignmentExpressionSyntax);
        IEnumerable<SyntaxNode> declaring = all.Where(Declares);
        return Numbers(declaring.Any() ? declaring : all);
    }

    private static IEnumerable<int> Numbers(IEnumerable<SyntaxNode> marked) =>
        marked.SelectMany(static n => n.GetAnnotations(MutantWriter.Annotation)).Select(static a => int.Parse(a.Data!, CultureInfo.InvariantCulture));

    private static CSharpCompilation Original(string root, string project, string folder)
    {
        string sources = Path.Combine(root, "src", project);
        string generated = Path.Combine(sources, "obj", "Release", "net10.0");
        IEnumerable<string> files = Sources(root, project)
            .Concat(Directory.EnumerateFiles(generated, "*.cs"))
            .Order(StringComparer.Ordinal);
        string framework = Path.GetDirectoryName(typeof(object).Assembly.Location)!;
        string web = framework.Replace("Microsoft.NETCore.App", "Microsoft.AspNetCore.App", StringComparison.Ordinal);
        IEnumerable<string> assemblies = new[] { framework, web, folder }
            .SelectMany(static f => Directory.EnumerateFiles(f, "*.dll"))
            .Where(f => IsBelow(Path.GetFileNameWithoutExtension(f), project) && IsManaged(f))
            .DistinctBy(static f => Path.GetFileName(f));
        var compilation = CSharpCompilation.Create(
            project,
            files.Select(static f => CSharpSyntaxTree.ParseText(File.ReadAllText(f), s_parse, f, Encoding.UTF8)),
            assemblies.Select(static f => MetadataReference.CreateFromFile(f)),
            new CSharpCompilationOptions(
                OutputKind.DynamicallyLinkedLibrary,
                optimizationLevel: OptimizationLevel.Release,
                allowUnsafe: true,
                nullableContextOptions: NullableContextOptions.Enable,

                // The same sources give the same bytes: by them a later run knows what is known of these assemblies.
                deterministic: true));
        CSharpGeneratorDriver.Create(Generators(framework).Select(GeneratorExtensions.AsSourceGenerator), parseOptions: s_parse)
            .RunGeneratorsAndUpdateCompilation(compilation, out Compilation whole, out _);
        return (CSharpCompilation)whole;
    }

    private static IEnumerable<string> Sources(string root, string project)
    {
        string folder = Path.Combine(root, "src", project);
        return Directory.EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories)
            .Where(f => Path.GetRelativePath(folder, f).Split(Path.DirectorySeparatorChar)[0] is not ("obj" or "bin"));
    }

    /// <summary>The generators that come with the SDK's reference assemblies: native imports, JSON and log messages.</summary>
    private static IEnumerable<IIncrementalGenerator> Generators(string framework)
    {
        (string Pack, string File, string Type)[] generators =
        [
            ("Microsoft.NETCore.App.Ref", "Microsoft.Interop.LibraryImportGenerator.dll", "Microsoft.Interop.LibraryImportGenerator"),
            ("Microsoft.NETCore.App.Ref", "System.Text.Json.SourceGeneration.dll", "System.Text.Json.SourceGeneration.JsonSourceGenerator"),
            ("Microsoft.AspNetCore.App.Ref", "Microsoft.Extensions.Logging.Generators.dll", "Microsoft.Extensions.Logging.Generators.LoggerMessageGenerator"),
        ];
        foreach ((string pack, string file, string name) in generators)
        {
            string versions = Path.GetFullPath(Path.Combine(framework, "..", "..", "..", "packs", pack));
            string newest = Directory.EnumerateDirectories(versions, "10.*").OrderBy(static d => Version.Parse(Path.GetFileName(d).Split('-')[0])).Last();
            string folder = Path.Combine(newest, "analyzers", "dotnet", "cs");
            AssemblyLoadContext.Default.Resolving += (context, wanted) =>
                Path.Combine(folder, wanted.Name + ".dll") is var path && File.Exists(path) ? context.LoadFromAssemblyPath(path) : null;
            Type type = AssemblyLoadContext.Default.LoadFromAssemblyPath(Path.Combine(folder, file)).GetType(name, throwOnError: true)!;
            yield return (IIncrementalGenerator)Activator.CreateInstance(type)!;
        }
    }

    /// <summary>Packages, and those of ours that come before the project.</summary>
    private static bool IsBelow(string assembly, string project) =>
        !assembly.StartsWith("AdaptivePool", StringComparison.Ordinal) || assembly == Scope.Balancing
            || Scope.Projects.TakeWhile(p => p != project).Contains(assembly);

    private static bool IsManaged(string file)
    {
        try
        {
            AssemblyName.GetAssemblyName(file);
            return true;
        }
        catch (BadImageFormatException)
        {
            return false;
        }
    }

    private static Diagnostic[] Emit(CSharpCompilation compilation, string target)
    {
        using FileStream assembly = File.Create(target);
        using FileStream symbols = File.Create(Path.ChangeExtension(target, ".pdb"));
        return [.. compilation.Emit(assembly, symbols, options: s_emit).Diagnostics.Where(static d => d.Severity == DiagnosticSeverity.Error)];
    }

    private static string Relative(string root, string file) => Path.GetRelativePath(root, file).Replace('\\', '/');
}
