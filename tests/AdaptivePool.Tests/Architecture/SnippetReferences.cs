using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using Microsoft.CodeAnalysis;

namespace AdaptivePool.Tests.Architecture;

/// <summary>What a project of the reader's can see: its template's framework, the packages that a snippet names, and what those need.</summary>
internal static class SnippetReferences
{
    private static readonly string s_runtime = Path.GetDirectoryName(typeof(object).Assembly.Location)!;

    private static readonly string s_web = Path.GetDirectoryName(typeof(Microsoft.AspNetCore.Http.HttpContext).Assembly.Location)!;

    /// <summary>Our assemblies that are packed, each under its own name.</summary>
    public static IReadOnlyList<string> OwnPackages { get; } =
    [
        .. Repository.Files("src", "*.csproj").Where(static file => Repository.Read(file).Contains("<IsPackable>true</IsPackable>", StringComparison.Ordinal))
            .Select(static file => Path.GetFileNameWithoutExtension(file)),
    ];

    /// <exception cref="ShouldAssertException">A package is none that this process has.</exception>
    public static IReadOnlyList<MetadataReference> Of((bool IsWeb, IReadOnlyList<string> Packages) project)
    {
        // The host lists some assemblies twice.
        Dictionary<string, MetadataReference> known = SourceModel.References
            .DistinctBy(static it => Path.GetFileNameWithoutExtension(it.Display!))
            .ToDictionary(static it => Path.GetFileNameWithoutExtension(it.Display!), StringComparer.Ordinal);
        var seen = new HashSet<string>(StringComparer.Ordinal);
        var open = new Queue<string>(project.Packages);
        bool isWeb = project.IsWeb;
        while (open.TryDequeue(out string? name))
        {
            // A package may bring the framework of web apps with it, as ours for them does.
            if (seen.Add(name) && known.TryGetValue(name, out MetadataReference? reference) && !IsBelow(reference, s_runtime))
            {
                isWeb |= IsBelow(reference, s_web);
                foreach (string needed in References(reference.Display!))
                {
                    open.Enqueue(needed);
                }
            }
        }

        project.Packages.Where(name => !known.ContainsKey(name)).ShouldBeEmpty("the packages must be those of this test project");
        return [.. known.Where(it => IsBelow(it.Value, s_runtime) || (isWeb && IsBelow(it.Value, s_web)) || seen.Contains(it.Key))
            .Select(static it => it.Value)];
    }

    private static bool IsBelow(MetadataReference reference, string folder)
        => string.Equals(Path.GetDirectoryName(reference.Display), folder, StringComparison.Ordinal);

    private static IEnumerable<string> References(string path)
    {
        using var file = new PEReader(File.OpenRead(path));
        MetadataReader reader = file.GetMetadataReader();
        return [.. reader.AssemblyReferences.Select(handle => reader.GetString(reader.GetAssemblyReference(handle).Name))];
    }
}
