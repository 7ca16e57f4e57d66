using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace AdaptivePool;

/// <summary>Finds errors in options, by their <see cref="OptionRangeAttribute"/>s and the names of their enumerations.</summary>
internal static class OptionCheck
{
    /// <summary>The allowed names, as messages describe them.</summary>
    public const string NameAllowed = "any text that is not empty, without control characters";

    private const DynamicallyAccessedMemberTypes Read = DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.NonPublicFields;

    /// <summary>All errors, in the order of the options.</summary>
    public static List<OptionFailure> Failures<[DynamicallyAccessedMembers(Read)] T>(T options)
        where T : class
    {
        List<OptionFailure> failures = [];
        foreach (CheckedOption option in Of<T>.All)
        {
            object? value = option.ValueIn(options);
            if (option.Range is { } range)
            {
                object? least = Of<T>.Value(range.MinimumOption, options);
                object? greatest = Of<T>.Value(range.MaximumOption, options);
                if (!range.IsWithin(value, least, greatest))
                {
                    failures.Add(Failure(option.Name, value, range.Describe(least, greatest)));
                }
            }
            else if (value is Enum name && !Enum.IsDefined(name.GetType(), name))
            {
                failures.Add(Failure(option.Name, value, Names(name.GetType())));
            }
        }

        return failures;
    }

    /// <summary>The error of one option.</summary>
    public static OptionFailure Failure(string option, object? value, string allowed)
    {
        string text = OptionRangeAttribute.Text(value);
        option = OptionRangeAttribute.Text(option);

        // The exception shows its value once more. A text is therefore passed in its escaped form.
        return new(option, value is string ? text : value, $"{option} is '{text}'; allowed: {allowed}.");
    }

    /// <summary>The error of one option if it is wrong; empty otherwise.</summary>
    public static OptionFailure[] When(bool isWrong, string option, object? value, string allowed) => isWrong ? [Failure(option, value, allowed)] : [];

    /// <summary>The errors in options that together are one option of others.</summary>
    /// <param name="option">Name of that option.</param>
    /// <param name="failures">The errors in these options.</param>
    public static IEnumerable<OptionFailure> Within(string option, IEnumerable<OptionFailure> failures) =>
        failures.Select(inner => new OptionFailure($"{option}.{inner.Option}", inner.Value, $"{option}.{inner.Message}"));

    /// <summary>Throws for the first error.</summary>
    /// <param name="failures">All errors.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is an error.</exception>
    public static void ThrowFirst(IEnumerable<OptionFailure> failures)
    {
        if (failures.FirstOrDefault() is { } failure)
        {
            throw Refusal(failure);
        }
    }

    /// <summary>The error for an option that is not allowed.</summary>
    public static ArgumentOutOfRangeException Refusal(OptionFailure failure) => new(failure.Option, failure.Value, failure.Message);

    /// <summary>Whether a text can be a name. A name goes into logs, metrics and names of threads, where a line break in it would begin a line of its
    /// own.</summary>
    public static bool IsName(string? text) => !string.IsNullOrWhiteSpace(text) && !HasControl(text);

    /// <summary>Whether a text has control characters.</summary>
    public static bool HasControl(string text) =>
        text.AsSpan().ContainsAnyInRange('\0', '\u001f') || text.AsSpan().ContainsAnyInRange('\u007f', '\u009f');

    /// <summary>Whether a text names a file.</summary>
    public static bool IsPath(string path) =>
        !string.IsNullOrWhiteSpace(path) && !path.Contains('\0', StringComparison.Ordinal) && Path.GetFileName(path).Length > 0;

    /// <summary>The names of an enumeration, as messages list them.</summary>
    public static string Names(Type type)
    {
        string[] names = Enum.GetNames(type);
        return $"{string.Join(", ", names[..^1])} or {names[^1]}";
    }

    // The options are looked up once, because a controller is created for each class.
    private static class Of<[DynamicallyAccessedMembers(Read)] T>
        where T : class
    {
        public static readonly CheckedOption[] All = Find();

        public static object? Value(string? option, T options) => option is null ? null : Array.Find(All, it => it.Name == option)!.ValueIn(options);

        private static CheckedOption[] Find()
        {
            List<CheckedOption> all = [];
            foreach (PropertyInfo option in typeof(T).GetProperties(BindingFlags.Public | BindingFlags.Instance))
            {
                OptionRangeAttribute? range = option.GetCustomAttribute<OptionRangeAttribute>();
                if (range is not null || (Nullable.GetUnderlyingType(option.PropertyType) ?? option.PropertyType).IsEnum)
                {
                    FieldInfo? field = typeof(T).GetField($"<{option.Name}>k__BackingField", BindingFlags.NonPublic | BindingFlags.Instance);
                    all.Add(new CheckedOption(option, range, field));
                }
            }

            return [.. all];
        }
    }

    /// <summary>An option whose value may be wrong: one with a range, or an enumeration. It is a class for the same reason as
    /// <see cref="OptionFailure"/>.</summary>
    private sealed class CheckedOption(PropertyInfo option, OptionRangeAttribute? range, FieldInfo? field)
    {
        public string Name => option.Name;

        public OptionRangeAttribute? Range => range;

        // Reads the field where there is one. For a property that is read a second time the runtime emits a method and compiles it, which takes 0.1 ms each,
        // and a starting web application checks its options three times.
        public object? ValueIn(object options) => field is not null ? field.GetValue(options) : option.GetValue(options);
    }
}
