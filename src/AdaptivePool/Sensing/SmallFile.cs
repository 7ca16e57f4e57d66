using System.Text;

namespace AdaptivePool.Sensing;

/// <summary>
/// Reads the small files in which the system reports about itself. A file that is missing, or may not be read, is an answer. A file that cannot be read now is
/// none: where the process has no file left to open, "no limit" would be wrong in the very moment of need. Readers made for files of any size cost 24 KB and
/// more for each of them.
/// </summary>
internal static class SmallFile
{
    private const int FirstLength = 4_096;

    [ThreadStatic]
    private static byte[]? t_buffer;

    /// <summary>Looks at files that are read again and again. Where one of them cannot be read now, the values from before stay.</summary>
    /// <param name="look">Reads them with <see cref="Read(string)"/>, and takes over what they say when it has read all.</param>
    /// <returns>Whether it has looked.</returns>
    public static bool TryLook(Action look)
    {
        try
        {
            look();
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    /// <summary>The whole text, for a caller that reads once; <see langword="null"/> when there is none to read, or it cannot be read now.</summary>
    public static string? TryRead(string path) => TryRead(path, out _);

    /// <summary>The same.</summary>
    /// <param name="path">The file.</param>
    /// <param name="isDenied">Whether there is a text that may not be read here.</param>
    public static string? TryRead(string path, out bool isDenied)
    {
        isDenied = false;
        try
        {
            return Read(path, out isDenied);
        }
        catch (IOException)
        {
            return null;
        }
    }

    /// <summary>The whole text; <see langword="null"/> when there is none to read.</summary>
    /// <exception cref="IOException">It cannot be read now.</exception>
    public static string? Read(string path) => Read(path, out _);

    private static string? Read(string path, out bool isDenied)
    {
        isDenied = false;
        try
        {
            // Control groups lack files that are looked for several times a second, and each time would cost an exception.
            if (!File.Exists(path))
            {
                return null;
            }

            // Not File.ReadAllBytes: a file of sysfs says that it has 4,096 bytes, and its early end is an error there.
            byte[] buffer = t_buffer ?? new byte[FirstLength];
            int length = 0;
            using var file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            while (RandomAccess.Read(file, buffer.AsSpan(length), length) is > 0 and var read)
            {
                length += read;
                if (length == buffer.Length)
                {
                    Array.Resize(ref buffer, 2 * length);
                }
            }

            t_buffer = buffer;
            return Encoding.UTF8.GetString(buffer, 0, length);
        }
        catch (Exception exception) when (exception is FileNotFoundException or DirectoryNotFoundException or UnauthorizedAccessException)
        {
            isDenied = exception is UnauthorizedAccessException;
            return null;
        }
    }

    /// <summary>The text behind a key, up to the end of its line; <see langword="null"/> when no line begins with the key.</summary>
    /// <param name="text">Lines of keys and values.</param>
    /// <param name="key">The key, with what separates it from its value.</param>
    public static string? ValueOf(string text, string key)
    {
        // By hand: for the framework's enumeration of lines a starting process compiles a dozen methods.
        for (int begin = 0; begin < text.Length;)
        {
            int end = text.IndexOf('\n', begin);
            end = end < 0 ? text.Length : end;
            if (string.CompareOrdinal(text, begin, key, 0, key.Length) == 0)
            {
                return text[(begin + key.Length)..end].Trim();
            }

            begin = end + 1;
        }

        return null;
    }

    /// <summary>A path of the system below another root; tests bring a root of their own.</summary>
    public static string Below(string root, string path) => Path.Combine(root, path.TrimStart('/'));
}
