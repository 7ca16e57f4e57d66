using System.Reflection;
using System.Security.Cryptography;

namespace AdaptivePool.Mutation;

/// <summary>A copy of the folder of the tests, in which the mutated assemblies replace the original ones.</summary>
internal sealed class Workplace
{
    private Workplace(string folder, string suite)
    {
        Folder = folder;
        Suite = suite;
    }

    public static string Root { get; } =
        typeof(Workplace).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(static a => a.Key == "RepositoryRoot").Value!;

    public string Folder { get; }

    /// <summary>The assembly of the tests.</summary>
    public string Suite { get; }

    public static Workplace Prepare(string suite)
    {
        string source = Path.Combine(Root, "tests", suite, "bin", "Release", "net10.0");
        if (!File.Exists(Path.Combine(source, suite + ".dll")))
        {
            throw new MutationException($"The tests are not built: dotnet build tests/{suite} -c Release");
        }

        string folder = Path.Combine(AppContext.BaseDirectory, "work", suite);
        foreach (string file in Directory.EnumerateFiles(source, "*", SearchOption.AllDirectories))
        {
            string copy = Path.Combine(folder, Path.GetRelativePath(source, file));
            if (!File.Exists(copy) || File.GetLastWriteTimeUtc(copy) != File.GetLastWriteTimeUtc(file)
                || Scope.Projects.Contains(Path.GetFileNameWithoutExtension(file)))
            {
                Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
                File.Copy(file, copy, overwrite: true);
            }
        }

        string self = typeof(Workplace).Assembly.Location;
        File.Copy(self, Path.Combine(folder, Path.GetFileName(self)), overwrite: true);
        return new Workplace(folder, suite);
    }

    /// <summary>A file that belongs to these very assemblies and this text.</summary>
    public string FileFor(string name, string text)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach (string project in Scope.Projects)
        {
            hash.AppendData(File.ReadAllBytes(Path.Combine(Folder, project + ".dll")));
        }

        hash.AppendData(File.ReadAllBytes(Path.Combine(Folder, Suite + ".dll")));
        hash.AppendData(System.Text.Encoding.UTF8.GetBytes(text));
        return Path.Combine(AppContext.BaseDirectory, $"{name}-{Convert.ToHexString(hash.GetHashAndReset())[..16]}.txt");
    }
}
