using System.Reflection;
using System.Text.Json;

namespace AdaptivePool.Stacks;

/// <summary>
/// What the build wrote down about the program's assemblies: the file NAME.deps.json beside it, which the host reads as well. A program in a single file has
/// no such file.
/// </summary>
internal static class DependencyFile
{
    /// <summary>The code of the running process.</summary>
    public static ProgramCode ReadOwn()
    {
        string? entry = Assembly.GetEntryAssembly()?.GetName().Name;
        string files = AppContext.GetData("APP_CONTEXT_DEPS_FILES") as string ?? "";
        HashSet<string>? packages = null;
        foreach (string file in files.Split(';', StringSplitOptions.RemoveEmptyEntries))
        {
            // The framework's files name only assemblies that their names identify already.
            if (Path.GetFileName(file).StartsWith("Microsoft.", StringComparison.Ordinal))
            {
                continue;
            }

            try
            {
                (packages ??= new(StringComparer.Ordinal)).UnionWith(Packages(File.ReadAllBytes(file)));
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or JsonException or InvalidOperationException)
            {
                return new ProgramCode(null, entry);
            }
        }

        return new ProgramCode(packages, entry);
    }

    /// <summary>Simple names of the assemblies that came in packages.</summary>
    /// <exception cref="JsonException">The text is not JSON.</exception>
    /// <exception cref="InvalidOperationException">The text does not have the shape of such a file.</exception>
    /// <remarks>Without sequences of properties: what is generic over a value type is compiled in each process that starts.</remarks>
    public static IEnumerable<string> Packages(ReadOnlyMemory<byte> text)
    {
        using var document = JsonDocument.Parse(text);
        JsonElement root = document.RootElement;
        HashSet<string> libraries = new(StringComparer.Ordinal);
        foreach (JsonProperty library in Entries(root, "libraries"))
        {
            if (library.Value.TryGetProperty("type", out JsonElement type) && type.ValueEquals("package"))
            {
                libraries.Add(library.Name);
            }
        }

        List<string> names = [];
        foreach (JsonProperty target in Entries(root, "targets"))
        {
            foreach (JsonProperty library in target.Value.EnumerateObject())
            {
                if (libraries.Contains(library.Name))
                {
                    AddNames(names, library.Value, "runtime");
                    AddNames(names, library.Value, "runtimeTargets");
                }
            }
        }

        return names;
    }

    private static void AddNames(List<string> names, JsonElement library, string kind)
    {
        foreach (JsonProperty file in Entries(library, kind))
        {
            names.Add(Path.GetFileNameWithoutExtension(file.Name));
        }
    }

    private static JsonElement.ObjectEnumerator Entries(JsonElement of, string name) =>
        of.TryGetProperty(name, out JsonElement entries) ? entries.EnumerateObject() : default;
}
