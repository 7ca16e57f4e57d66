using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Reflection;

namespace AdaptivePool;

/// <summary>What is wrong with options, by their <see cref="OptionRangeAttribute"/>s and the names of their enumerations.</summary>
internal static class OptionCheck
{
    /// <summary>All that is wrong, in the order of the options.</summary>
    public static IEnumerable<(string Option, object? Value, string Message)> Failures<
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties)] T>(T options)
        where T : class
    {
        foreach (PropertyInfo option in typeof(T).GetProperties(BindingFlags.Public | BindingFlags.Instance))
        {
            object? value = option.GetValue(options);
            if (value is Enum name && !Enum.IsDefined(option.PropertyType, name))
            {
                yield return Failure(option.Name, value, Names(option.PropertyType));
            }
            else if (option.GetCustomAttribute<OptionRangeAttribute>() is { } range)
            {
                object? least = range.MinimumOption is { } lower ? typeof(T).GetProperty(lower)!.GetValue(options) : null;
                object? greatest = range.MaximumOption is { } upper ? typeof(T).GetProperty(upper)!.GetValue(options) : null;
                if (!range.IsWithin(value, least, greatest))
                {
                    yield return Failure(option.Name, value, range.Describe(least, greatest));
                }
            }
        }
    }

    /// <summary>What is wrong with one option.</summary>
    public static (string Option, object? Value, string Message) Failure(string option, object? value, string allowed) =>
        (option, value, string.Create(CultureInfo.InvariantCulture, $"{option} is '{OptionRangeAttribute.Text(value)}'; allowed: {allowed}."));

    /// <summary>Whether a text names a file.</summary>
    public static bool IsPath(string path) =>
        !string.IsNullOrWhiteSpace(path) && !path.Contains('\0', StringComparison.Ordinal) && Path.GetFileName(path).Length > 0;

    private static string Names(Type type)
    {
        string[] names = Enum.GetNames(type);
        return $"{string.Join(", ", names[..^1])} or {names[^1]}";
    }
}
