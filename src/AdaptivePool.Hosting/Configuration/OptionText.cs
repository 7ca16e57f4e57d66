using System.Globalization;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>Texts of a configuration as values of options, by the type of the option, and what is said of those that are wrong.</summary>
internal static class OptionText
{
    private const string NameAllowed = "any text that is not empty, without control characters";

    /// <summary>By the type of the option: what a message says that it may be, and how it is read; <see langword="null"/> for a text of another kind.
    /// Enumerations have their names.</summary>
    private static readonly Dictionary<Type, (string Allowed, Func<string, object?> Read)> s_kinds = new()
    {
        [typeof(string)] = ("a text", static text => text),
        [typeof(int)] = ("a whole number", static text => int.TryParse(text, CultureInfo.InvariantCulture, out var whole) ? whole : null),
        [typeof(double)] = ("a number", static text => double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var number)
            && double.IsFinite(number) ? number : null),
        [typeof(bool)] = ("true or false", static text => bool.TryParse(text, out var truth) ? truth : null),
        [typeof(TimeSpan)] = ("a time", static text => Time(text)),
    };

    /// <summary>A section of the application's configuration. A container without one, as tests and tools build it, uses code alone: it is empty.</summary>
    public static IConfigurationSection Section(IServiceProvider services, string path) =>
        (services.GetService<IConfiguration>() ?? new ConfigurationBuilder().Build()).GetSection(path);

    /// <summary>Refuses options for all that is wrong with them.</summary>
    public static ValidateOptionsResult Result(IReadOnlyList<string> failures) =>
        failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);

    /// <summary>What is wrong with a section that has one section for each thing that was added by a name: names that there are not.</summary>
    /// <param name="section">The section.</param>
    /// <param name="names">The names that there are.</param>
    /// <param name="one">What one of them is called.</param>
    /// <param name="many">What several are called.</param>
    public static IEnumerable<string> Unknown(IConfigurationSection section, IReadOnlyCollection<string> names, string one, string many)
    {
        var allowed = names.Count == 0 ? $"nothing, because no {one} was added" : $"the {many} {string.Join(", ", names)}";
        return section.Value is { Length: > 0 } ? [Wrong(section, allowed)]
            : section.GetChildren().Where(child => !names.Contains(child.Key, StringComparer.OrdinalIgnoreCase)).Select(child => Wrong(child, allowed));
    }

    /// <summary>Whether options of a type can be set by one text.</summary>
    public static bool IsReadable(Type type) => Bare(type) is var value && (value.IsEnum || s_kinds.ContainsKey(value));

    /// <summary>Reads a text; false when it is of another kind.</summary>
    public static bool TryRead(Type type, string text, out object? value)
    {
        value = s_kinds.TryGetValue(Bare(type), out var kind) ? kind.Read(text) : Member(Bare(type), text);
        return value is not null;
    }

    /// <summary>What kind of text an option takes, where it has no range.</summary>
    public static string Kind(Type type) => s_kinds.TryGetValue(Bare(type), out var kind) ? kind.Allowed : Names(Bare(type));

    /// <summary>The names of an enumeration, as messages list them.</summary>
    public static string Names(Type type)
    {
        string[] names = Enum.GetNames(type);
        return $"{string.Join(", ", names[..^1])} or {names[^1]}";
    }

    /// <summary>Says that a key of the configuration has a value that it must not have.</summary>
    public static string Wrong(IConfigurationSection key, string allowed) => Wrong(key.Path, key.Value ?? "(a section)", allowed);

    /// <summary>Says that an option has a value that it must not have.</summary>
    public static string Wrong(string option, object value, string allowed) =>
        $"{Printable(option)} is '{Printable(Convert.ToString(value, CultureInfo.InvariantCulture)!)}'; allowed: {allowed}.";

    /// <summary>A text that can stand in a line of a log, control characters as JSON has them.</summary>
    public static string Printable(string text) =>
        text.Any(char.IsControl) ? string.Concat(text.Select(static it => char.IsControl(it) ? $"\\u{(int)it:x4}" : $"{it}")) : text;

    /// <summary>What is wrong with an option whose values have names; <see langword="null"/> when nothing is.</summary>
    public static string? Unnamed<T>(string option, T value)
        where T : struct, Enum => Enum.IsDefined(value) ? null : Wrong(option, value, Names(typeof(T)));

    /// <summary>Refuses an argument whose value has no name.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It has none; the message has those that there are.</exception>
    public static void ThrowIfUnnamed<T>(string argument, T value)
        where T : struct, Enum
    {
        if (Unnamed(argument, value) is { } failure)
        {
            throw new ArgumentOutOfRangeException(argument, value, failure);
        }
    }

    /// <summary>What is wrong with an option that is a name; <see langword="null"/> when nothing is, or it is not set.</summary>
    public static string? NoName(string option, string? value) =>
        value is null || (!string.IsNullOrWhiteSpace(value) && !value.Any(char.IsControl)) ? null : Wrong(option, value, NameAllowed);

    /// <summary>The same for the name of a work class.</summary>
    public static string? NoClass(string option, string? value) =>
        NoName(option, value)
            ?? (value == WorkClass.InFlightName ? Wrong(option, value, $"{NameAllowed}, except '{WorkClass.InFlightName}'") : null);

    /// <summary>Refuses an argument that cannot be a name.</summary>
    /// <exception cref="ArgumentException">It is empty, white space, or has a control character.</exception>
    public static void ThrowIfNoName(string? name, string argument)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name, argument);
        if (NoName(argument, name) is { } failure)
        {
            throw new ArgumentException(failure, argument);
        }
    }

    /// <summary>Refuses an argument that cannot be the name of a section of the configuration.</summary>
    /// <exception cref="ArgumentException">It is empty, white space, or has ':' or a control character.</exception>
    public static void ThrowIfNoKey(string? name, string argument)
    {
        ThrowIfNoName(name, argument);
        if (name!.Contains(':', StringComparison.Ordinal))
        {
            throw new ArgumentException($"The {argument} is '{name}'; it must not contain ':', which separates the keys of the configuration.", argument);
        }
    }

    private static Type Bare(Type type) => Nullable.GetUnderlyingType(type) ?? type;

    // The parser takes a number without a colon for days: what is meant by "1" is a second, or a millisecond. Zero has no unit.
    private static TimeSpan? Time(string text) =>
        string.Equals(text.Trim(), nameof(Timeout.Infinite), StringComparison.OrdinalIgnoreCase) ? Timeout.InfiniteTimeSpan
        : !text.Contains(':', StringComparison.Ordinal) && text.Trim() != "0" ? null
        : TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out var time) ? time
        : null;

    // Names only: the parser takes any number, whose meaning changes with the order of the names, and lists of names, too.
    private static object? Member(Type type, string text) =>
        Enum.GetNames(type).FirstOrDefault(name => string.Equals(name, text.Trim(), StringComparison.OrdinalIgnoreCase)) is { } found ? Enum.Parse(type, found)
            : null;
}
