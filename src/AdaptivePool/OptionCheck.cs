using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Reflection;

namespace AdaptivePool;

/// <summary>What is wrong with options, by their <see cref="OptionRangeAttribute"/>s and the names of their enumerations.</summary>
internal static class OptionCheck
{
    /// <summary>All that is wrong, in the order of the options.</summary>
    public static IEnumerable<OptionFailure> Failures<
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties)] T>(T options)
        where T : class
    {
        foreach ((PropertyInfo option, OptionRangeAttribute? range) in Of<T>.All)
        {
            object? value = option.GetValue(options);
            if (value is Enum name && !Enum.IsDefined(name.GetType(), name))
            {
                yield return Failure(option.Name, value, Names(name.GetType()));
            }
            else if (range is not null)
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
    public static OptionFailure Failure(string option, object? value, string allowed) =>
        (option, value, string.Create(CultureInfo.InvariantCulture, $"{option} is '{OptionRangeAttribute.Text(value)}'; allowed: {allowed}."));

    /// <summary>What is wrong with the options that are one option of others.</summary>
    /// <param name="option">Name of that option.</param>
    /// <param name="failures">What is wrong with them.</param>
    public static IEnumerable<OptionFailure> Within(string option, IEnumerable<OptionFailure> failures) =>
        failures.Select(inner => ($"{option}.{inner.Option}", inner.Value, $"{option}.{inner.Message}"));

    /// <summary>Throws for the first thing that is wrong.</summary>
    /// <param name="failures">All that is wrong.</param>
    /// <exception cref="ArgumentOutOfRangeException">Something is wrong.</exception>
    public static void ThrowFirst(IEnumerable<OptionFailure> failures)
    {
        foreach (OptionFailure failure in failures)
        {
            throw Refusal(failure);
        }
    }

    /// <summary>The error for an option that is not allowed.</summary>
    public static ArgumentOutOfRangeException Refusal(OptionFailure failure) => new(failure.Option, failure.Value, failure.Message);

    /// <summary>Whether a text names a file.</summary>
    public static bool IsPath(string path) =>
        !string.IsNullOrWhiteSpace(path) && !path.Contains('\0', StringComparison.Ordinal) && Path.GetFileName(path).Length > 0;

    private static string Names(Type type)
    {
        string[] names = Enum.GetNames(type);
        return $"{string.Join(", ", names[..^1])} or {names[^1]}";
    }

    // Read once: a controller is created for each class.
    private static class Of<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties)] T>
    {
        public static readonly (PropertyInfo Option, OptionRangeAttribute? Range)[] All =
        [
            .. typeof(T).GetProperties(BindingFlags.Public | BindingFlags.Instance)
                .Select(static option => (option, option.GetCustomAttribute<OptionRangeAttribute>())),
        ];
    }
}
