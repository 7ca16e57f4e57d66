using System.Reflection;
using System.Runtime.CompilerServices;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace AdaptivePool.Tests.Architecture;

/// <summary>Who may use whom: the two one-way streets, and the purity of what decides.</summary>
public sealed class LayeringTests
{
    private static readonly string[] s_impureTypes =
    [
        "System.DateTime", "System.DateTimeOffset", "System.TimeProvider", "System.Random", "System.Environment", "System.Console", "System.GC",
        "System.AppContext", "System.Diagnostics.Stopwatch", "System.Diagnostics.Process", "System.Diagnostics.Debug", "System.Diagnostics.Trace",
    ];

    private static readonly string[] s_pureNamespaces =
    [
        "System", "System.Collections", "System.Collections.Generic", "System.Collections.Immutable", "System.Collections.ObjectModel",
            "System.Collections.Frozen", "System.Linq",
        "System.Numerics", "System.Globalization", "System.Text", "System.Diagnostics.CodeAnalysis", "System.Runtime.CompilerServices",
            "System.Runtime.InteropServices",
        "System.ComponentModel", "System.ComponentModel.DataAnnotations",
    ];

    /// <summary>What is missing when source generators (of native imports) have not run: the body of a partial method, and what it assigns.</summary>
    private static readonly string[] s_madeByGenerators = ["CS8795", "CS0170"];

    /// <summary>Folder -> folders it may use. The root ("") is the public surface, which wires everything; every folder may use Internal and itself.</summary>
    private static readonly Dictionary<string, string[]> s_mayUse = new(StringComparer.Ordinal)
    {
        ["Internal"] = [],

        ["Control"] = [],
        ["SeedWave"] = ["Control"],
        ["Stacks"] = [],

        // Nothing of the core waits for whoever looks at it: they read.
        ["Dispatch"] = ["", "Stacks"],
        ["Sensing"] = ["Dispatch"],
        ["Blocking"] = ["", "Dispatch", "Sensing", "Stacks"],
        ["Housekeeping"] = ["Dispatch"],
        ["Sizing"] = ["", "Control", "Sensing", "Dispatch", "Housekeeping"],
        ["Diagnostics"] = ["", "Control", "Dispatch"],
        ["Groups"] = ["Sensing"],

        // An adaptive gate logs and counts its decisions as the pools do.
        ["Admission"] = ["", "Control", "Diagnostics"],
        // The runtime's pool is looked at as blocked workers are: who sleeps, whose code it is.
        ["Runtime"] = ["Sensing", "Stacks"],

        // A guest runs beside the pool: its context stands in for that of the class, and its threads belong to the runtime's pool.
        ["Guests"] = ["", "Dispatch", "Sensing", "Stacks", "Runtime"],
    };

    /// <summary>By these of the root the ranges of all options are checked, those of a pure folder too; they have no clock, thread or lock.</summary>
    private static readonly string[] s_checksOfOptions = ["AdaptivePool.OptionCheck", "AdaptivePool.OptionFailure", "AdaptivePool.OptionRangeAttribute"];

    /// <summary>What acts in Sizing: owns a thread, a lock or a timer, or writes to the core.</summary>
    private static readonly string[] s_actsInSizing =
    [
        "ClassSizing.cs", "SizingLoop.Guards.cs", "SizingLoop.Rest.cs", "SizingLoop.Shares.cs", "SizingLoop.cs",
    ];

    /// <summary>Types of the root that use a folder which uses them: what a user holds, and what the core holds for it.</summary>
    private static readonly string[] s_rootOfTheKnot =
    [
        "AdaptivePoolOptions", "AdaptivePoolOptionsValidator", "AdaptiveTaskScheduler", "AdaptiveThreadPool", "BlockingScope", "BoundedFunction",
        "BoundedItem", "HeldBackItem", "IRefusableWorkItem", "Intake", "PlatformNotice", "PlatformSupport", "PoolSurroundings", "QueueBound", "SequentialView",
        "WorkClass", "WorkRefusedException",
    ];

    /// <summary>What AdaptivePool.Data sees of the core beyond what users see: the shim that the model checker needs, a lock and a timed thread on it,
    /// a lease inside another one's transaction, and the check of options.</summary>
    private static readonly string[] s_seenByData =
    [
        "AdaptivePool.Internal.ISync", "AdaptivePool.Internal.RealSync", "AdaptivePool.Internal.SyncLock<TSync>",
        "AdaptivePool.Internal.TimerThread<TSync>", "AdaptivePool.Admission.TransactionGate.TryNest", "AdaptivePool.OptionCheck", "AdaptivePool.OptionRangeAttribute",
    ];

    /// <summary>The same for a generated reader and writer of JSON: what its base class demands, and its instance.</summary>
    private static bool IsMadeByJsonGenerator(Diagnostic error) =>
        error.Id is "CS0534" or "CS0117" or "CS7036" && error.GetMessage(System.Globalization.CultureInfo.InvariantCulture) is var text
        && (text.Contains("Json' ", StringComparison.Ordinal) || text.Contains("'JsonSerializerContext.JsonSerializerContext(", StringComparison.Ordinal));

    [Fact]
    public void Sources_AsOneCompilation_AreUnderstood()
    {
        // The rules below would pass on sources that the model cannot bind.
        Diagnostic[] errors =
            [.. SourceModel.Core.GetDiagnostics()
            .Where(d => d.Severity == DiagnosticSeverity.Error && !s_madeByGenerators.Contains(d.Id) && !IsMadeByJsonGenerator(d))];
        errors.ShouldBeEmpty();
        SourceModel.CoreUses.Count.ShouldBeGreaterThan(1_000);
    }

    [Fact]
    public void Control_UsesOnlyItselfBasicsAndMathNet() =>
        Violations(u => IsPure(u.Folder)
            && !IsPure(u.TargetFolder)
            && !u.Namespace.StartsWith("MathNet.Numerics", StringComparison.Ordinal)
            && !s_pureNamespaces.Contains(u.Namespace)
            && !s_checksOfOptions.Contains(u.TypeName)).ShouldBeEmpty();

    [Fact]
    public void Control_HasNoClockLockLogOrRandom()
    {
        Violations(u => IsPure(u.Folder) && IsImpure(u)).ShouldBeEmpty();
        Locks(IsPure).ShouldBeEmpty();
        Violations(static u => u.File is "src/AdaptivePool/OptionCheck.cs" or "src/AdaptivePool/OptionFailure.cs" or "src/AdaptivePool/OptionRangeAttribute.cs"
            && IsImpure(u) && u.TypeName is not "System.IO.Path").ShouldBeEmpty();
    }

    [Fact]
    public void SeedWave_IsOneProfile_NothingElseUsesIt() =>
        Violations(u => IsIn(u.TargetFolder, "SeedWave") && !IsIn(u.Folder, "SeedWave")
            && Path.GetFileName(u.File) is not "HillClimbingController.cs").ShouldBeEmpty();

    [Fact]
    public void Sizing_ButForTheFilesThatAct_IsPure()
    {
        static bool Acts(TypeUse use) => IsImpure(use) || IsIn(use.TargetFolder, "Dispatch") || IsIn(use.TargetFolder, "Housekeeping")
            || (use.Namespace.StartsWith("System.Threading", StringComparison.Ordinal) && use.Type.TypeKind != TypeKind.Enum);
        SourceModel.CoreUses.Where(static use => IsIn(use.Folder, "Sizing") && Acts(use)).Select(static use => Path.GetFileName(use.File))
            .Concat(SourceModel.Core.SyntaxTrees.Where(static tree => tree.FilePath.Contains("/Sizing/", StringComparison.Ordinal) && LocksIn(tree).Any())
                .Select(static tree => Path.GetFileName(tree.FilePath)))
            .Distinct().Order(StringComparer.Ordinal)
                .ShouldBe(s_actsInSizing, ignoreOrder: true, "take off what is pure now, and see whether what is new must act");
    }

    [Fact]
    public void ControllerThatChooses_IsPure() =>
        Violations(static use => use.File.EndsWith("/HillClimbingController.cs", StringComparison.Ordinal)
            && (IsImpure(use) || use.Namespace.StartsWith("System.Threading", StringComparison.Ordinal))).ShouldBeEmpty();

    [Fact]
    public void Folders_EachUsesOnlyWhatItsStreetAllows()
    {
        IEnumerable<string> wrong = SourceModel.CoreUses
            .Where(u => u.Folder.Length > 0 && u.TargetFolder is not null)
            .Select(u => (Use: u, From: u.Folder.Split('/')[0], To: u.TargetFolder!.Split('/')[0]))
            .Where(u => u.From != u.To && u.To != "Internal" && !s_mayUse[u.From].Contains(u.To) && !s_checksOfOptions.Contains(u.Use.TypeName))
            .Select(u => $"{u.From} may not use {(u.To.Length == 0 ? "the root" : u.To)}: {u.Use}");
        wrong.ShouldBeEmpty();
    }

    /// <summary>What nobody needs any more is not allowed any more.</summary>
    [Fact]
    public void Folders_EachUsesAllThatItsStreetAllows()
    {
        Dictionary<string, HashSet<string>> uses = Graph(static use => use.Folder.Length > 0);
        s_mayUse.SelectMany(row => row.Value.Except(uses.GetValueOrDefault(row.Key) ?? []).Select(to => $"{row.Key} does not use '{to}'")).ShouldBeEmpty();
    }

    /// <summary>What only asks gives an answer: in Sensing nothing is called for its effect on the core, and nothing of the core is assigned.</summary>
    [Fact]
    public void Sensing_WritesNothingToTheCore() => Writes("Sensing").ShouldBeEmpty();

    [Fact]
    public void Writes_WhereTheCoreIsWrittenTo_AreFound() => Writes("Housekeeping").Select(static call => call.Split(' ')[^1]).Distinct()
        .ShouldBe(
            ["TimeNextItems", "OfferLoneItem", "HasHeldUp", "WakeForHeldUp", "Look", "QueueInFlight", "EnsureWorker", "ClearSearching"],
            ignoreOrder: true);

    /// <summary>Emergency threads, which it lends in a deadlock, and waits that have no name. Its own thread is started and guarded.</summary>
    [Fact]
    public void Blocking_WritesToTheCoreOnlyWhatIsNamed() => Writes("Blocking").Select(static call => call.Split(' ')[^1]).Distinct()
        .ShouldBe(["Lend", "WakeLent", "Add", "Start", "Guard"], ignoreOrder: true);

    [Fact]
    public void Folders_NoneUsesAnotherThatUsesIt()
    {
        Dictionary<string, HashSet<string>> uses = Graph(static use => use.Folder.Length > 0 && use.TargetFolder!.Length > 0);
        uses.Count.ShouldBeGreaterThan(5);
        FolderGraph.Cycle(uses).ShouldBeEmpty("each of these folders uses the next one, and the last one the first");
    }

    /// <summary>The root has what users hold in their hands, which the folders use too. Its files that use a folder which uses them are few, and
    /// named.</summary>
    [Fact]
    public void Root_OfItsFiles_TheseFewAreUsedByWhatTheyUse()
    {
        static string Node(string? folder, string file) => folder is { Length: > 0 } ? folder.Split('/')[0] : Path.GetFileName(file).Split('.')[0];
        Dictionary<string, HashSet<string>> uses = [];
        foreach (TypeUse use in SourceModel.CoreUses.Where(static use => use.TargetFolder is not null))
        {
            string from = Node(use.Folder, use.File);
            string to = Node(use.TargetFolder, (use.Type.ContainingType ?? use.Type).Name);
            if (from != to)
            {
                (uses.TryGetValue(from, out HashSet<string>? found) ? found : uses[from] = []).Add(to);
            }
        }

        FolderGraph.Knot(uses).Where(static node => !Directory.Exists(Path.Combine(Repository.Root, "src/AdaptivePool", node))).Order(StringComparer.Ordinal)
            .ShouldBe(s_rootOfTheKnot);
    }

    [Fact]
    public void Graph_WithACycle_IsFound()
    {
        Dictionary<string, HashSet<string>> uses = new() { ["a"] = ["b"], ["b"] = ["c"], ["c"] = ["d", "b"], ["d"] = [] };
        FolderGraph.Cycle(uses).ShouldBe(["b", "c"], ignoreOrder: true);
        FolderGraph.Knot(uses).ShouldBe(["b", "c"], ignoreOrder: true);
        uses["c"].Remove("b");
        FolderGraph.Cycle(uses).ShouldBeEmpty();
    }

    [Fact]
    public void MathNet_OutsideControlAndAdmission_IsNotUsed() =>
        Violations(u => u.Namespace.StartsWith("MathNet", StringComparison.Ordinal) && !IsPure(u.Folder) && !IsIn(u.Folder, "Admission")).ShouldBeEmpty();

    [Fact]
    public void PublicSurface_NeverShowsMathNet()
    {
        Type[] exported = typeof(AdaptiveThreadPool).Assembly.GetExportedTypes();
        IEnumerable<string> leaks = exported.SelectMany(t => t.GetMembers()).Where(m => m.ToString()!.Contains("MathNet", StringComparison.Ordinal))
            .Select(m => $"{m.DeclaringType}.{m.Name}");
        leaks.ShouldBeEmpty();
    }

    [Fact]
    public void RuntimePool_IsUsedOnlyWhereTheDesignNamesIt() =>
        Violations(u => u.TypeName is "System.Threading.ThreadPool" && !IsIn(u.Folder, "Runtime")
            && !u.File.StartsWith("src/AdaptivePool/Adaptive", StringComparison.Ordinal)
            && !IsIn(u.Folder, "Dispatch")).ShouldBeEmpty();

    [Fact]
    public void Hosting_SeesOnlyPublicMembers()
    {
        string[] friends = [.. typeof(AdaptiveThreadPool).Assembly.GetCustomAttributes<InternalsVisibleToAttribute>().Select(a => a.AssemblyName)];
        friends.ShouldNotContain(f => f.Contains("Hosting", StringComparison.Ordinal) || f.Contains("Sample", StringComparison.Ordinal)
            || f.Contains("Scenarios", StringComparison.Ordinal));
    }

    [Fact]
    public void Data_SeesOfTheCoreWhatTheListNames()
    {
        SourceModel.Data.GetDiagnostics().Where(static d => d.Severity == DiagnosticSeverity.Error).ShouldBeEmpty();
        SourceModel.Data.SyntaxTrees.SelectMany(HiddenCoreNames).Distinct().ShouldBe(s_seenByData, ignoreOrder: true);
    }

    [Fact]
    public void EntityFrameworkCore_IsAFriendOfNobody()
    {
        foreach (Assembly ours in new[] { typeof(AdaptiveThreadPool).Assembly, typeof(AdaptivePool.Data.GatedDataSource).Assembly })
        {
            ours.GetCustomAttributes<InternalsVisibleToAttribute>().ShouldNotContain(static a => a.AssemblyName == "AdaptivePool.EntityFrameworkCore");
        }
    }

    [Fact]
    public void Hosting_UsesNoThirdPartyPackage()
    {
        string project = Repository.Read("src/AdaptivePool.Hosting/AdaptivePool.Hosting.csproj");
        string[] packages = [.. project.Split('\n')
            .Where(l => l.Contains("<PackageReference", StringComparison.Ordinal) && !l.Contains("PrivateAssets=\"all\"", StringComparison.Ordinal))];
        packages.ShouldBeEmpty();
    }

    /// <summary>Types of the core that are not public, and members of its public types that are not.</summary>
    private static IEnumerable<string> HiddenCoreNames(SyntaxTree tree)
    {
        SemanticModel model = SourceModel.Data.GetSemanticModel(tree);
        foreach (SimpleNameSyntax name in tree.GetRoot().DescendantNodes().OfType<SimpleNameSyntax>())
        {
            ISymbol? symbol = model.GetSymbolInfo(name).Symbol?.OriginalDefinition;
            if (symbol?.ContainingAssembly?.Name != "AdaptivePool"
                || symbol is not { Kind: SymbolKind.NamedType or SymbolKind.Method or SymbolKind.Property or SymbolKind.Field or SymbolKind.Event })
            {
                continue;
            }

            INamedTypeSymbol type = symbol as INamedTypeSymbol ?? symbol.ContainingType;
            if (type.DeclaredAccessibility != Accessibility.Public || type.ContainingType is { DeclaredAccessibility: not Accessibility.Public })
            {
                yield return type.ToDisplayString();
            }
            else if (symbol.DeclaredAccessibility is not (Accessibility.Public or Accessibility.Protected))
            {
                yield return $"{type.ToDisplayString()}.{symbol.Name}";
            }
        }
    }

    private static IEnumerable<string> Writes(string folder)
    {
        foreach (SyntaxTree tree in SourceModel.Core.SyntaxTrees.Where(t => t.FilePath.Contains($"/{folder}/", StringComparison.Ordinal)))
        {
            SemanticModel model = SourceModel.Core.GetSemanticModel(tree);
            foreach (ExpressionSyntax expression in tree.GetRoot().DescendantNodes().OfType<ExpressionSyntax>())
            {
                ISymbol? written = expression switch
                {
                    InvocationExpressionSyntax call => model.GetSymbolInfo(call).Symbol is IMethodSymbol { ReturnsVoid: true } method ? method : null,
                    AssignmentExpressionSyntax assignment => model.GetSymbolInfo(assignment.Left).Symbol,
                    _ => null,
                };

                if (written?.ContainingNamespace?.ToDisplayString().StartsWith("AdaptivePool.Dispatch", StringComparison.Ordinal) == true)
                {
                    yield return $"{tree.FilePath}({expression.GetLocation().GetLineSpan().StartLinePosition.Line + 1}): {written.Name}";
                }
            }
        }
    }

    private static Dictionary<string, HashSet<string>> Graph(Func<TypeUse, bool> counts) => SourceModel.CoreUses
        .Where(use => use.TargetFolder is not null && counts(use))
        .Select(static use => (From: use.Folder.Split('/')[0], To: use.TargetFolder!.Split('/')[0]))
        .Where(static use => use.From != use.To)
        .GroupBy(static use => use.From, StringComparer.Ordinal)
        .ToDictionary(static group => group.Key, static group => group.Select(static use => use.To).ToHashSet(StringComparer.Ordinal), StringComparer.Ordinal);

    private static string[] Violations(Func<TypeUse, bool> isWrong) => [.. SourceModel.CoreUses.Where(isWrong).Select(u => u.ToString()).Distinct()];

    private static bool IsIn(string? folder, string area) => folder == area || folder?.StartsWith(area + "/", StringComparison.Ordinal) == true;

    private static bool IsPure(string? folder) => IsIn(folder, "Control") || IsIn(folder, "SeedWave");

    private static bool IsImpure(TypeUse use) =>
        s_impureTypes.Contains(use.TypeName)
        || use.Namespace.StartsWith("System.IO", StringComparison.Ordinal)
        || use.Namespace.StartsWith("Microsoft.Extensions", StringComparison.Ordinal)
        || (use.Namespace.StartsWith("System.Threading", StringComparison.Ordinal) && IsPure(use.Folder));

    private static IEnumerable<string> Locks(Func<string, bool> folder) =>
        SourceModel.Core.SyntaxTrees
            .Where(t => t.FilePath.StartsWith("src/AdaptivePool/", StringComparison.Ordinal)
                && folder(Path.GetDirectoryName(t.FilePath)!.Replace('\\', '/')["src/AdaptivePool".Length..].TrimStart('/')))
            .SelectMany(LocksIn);

    private static IEnumerable<string> LocksIn(SyntaxTree tree) =>
        tree.GetRoot().DescendantNodes().OfType<LockStatementSyntax>()
            .Select(l => $"{tree.FilePath}({l.GetLocation().GetLineSpan().StartLinePosition.Line + 1}): lock");
}
