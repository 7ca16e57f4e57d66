using System.Reflection;

namespace AdaptivePool.Tests.Architecture;

/// <summary>The files of this repository, as the build saw it.</summary>
internal static class Repository
{
    private static readonly string[] s_generated = ["bin", "obj", "artifacts", "TestResults", "BenchmarkDotNet.Artifacts"];

    public static string Root { get; } = typeof(Repository).Assembly
        .GetCustomAttributes<AssemblyMetadataAttribute>()
        .Single(a => a.Key == "RepositoryRoot").Value!;

    public static string Read(string path) => File.ReadAllText(Path.Combine(Root, path));

    /// <summary>Hand-written files under a folder, as paths relative to the root with forward slashes.</summary>
    public static IReadOnlyList<string> Files(string folder, string pattern)
    {
        string start = Path.Combine(Root, folder);
        return
        [
            .. Directory.EnumerateFiles(start, pattern, SearchOption.AllDirectories)
                .Select(f => Path.GetRelativePath(Root, f).Replace('\\', '/'))
                .Where(f => !f.Split('/').Intersect(s_generated).Any())
                .Order(StringComparer.Ordinal),
        ];
    }

    /// <summary>All hand-written C# files.</summary>
    public static IReadOnlyList<string> SourceFiles() =>
        [.. new[] { "src", "tests", "samples", "benchmarks" }.SelectMany(f => Files(f, "*.cs"))];

    /// <summary>Folder of the project file that a source file belongs to.</summary>
    public static string ProjectFolder(string file)
    {
        string folder = Path.GetDirectoryName(file)!.Replace('\\', '/');
        while (Directory.GetFiles(Path.Combine(Root, folder), "*.csproj").Length == 0)
        {
            folder = Path.GetDirectoryName(folder)!.Replace('\\', '/');
        }

        return folder;
    }
}
