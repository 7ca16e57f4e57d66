using System.Globalization;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>Reads texts of a configuration as values of options, by the type of the option, and creates the messages for wrong values.</summary>
internal static class OptionText
{
    private const string NameAllowed = "any text that is not empty, without control characters";

    /// <summary>By the type of the option: what a message says is allowed, and the function that reads the text; that returns <see langword="null"/> for a
    /// text of another kind. Enumerations have their names.</summary>
    private static readonly Dictionary<Type, (string Allowed, Func<string, object?> Read)> s_kinds = new()
    {
        [typeof(string)] = ("a text", static text => text),
        [typeof(int)] = ("a whole number", static text => int.TryParse(text, CultureInfo.InvariantCulture, out var whole) ? whole : null),
        [typeof(double)] = ("a number", static text => double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var number)
            && double.IsFinite(number) ? number : null),
        [typeof(bool)] = ("true or false", static text => bool.TryParse(text, out var truth) ? truth : null),
        [typeof(TimeSpan)] = ("a time", static text => Time(text)),
    };

    /// <summary>A section of the application's configuration. A container without a configuration, as in tests and tools, uses code alone: the section is
    /// empty.</summary>
    public static IConfigurationSection Section(IServiceProvider services, string path) =>
        (services.GetService<IConfiguration>() ?? new ConfigurationBuilder().Build()).GetSection(path);

    /// <summary>Creates the result of a validation from its errors.</summary>
    public static ValidateOptionsResult Result(IReadOnlyList<string> failures) =>
        failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);

    /// <summary>The errors of a section that has one section for each object that was added by a name: unknown names.</summary>
    /// <param name="section">The section.</param>
    /// <param name="names">The known names.</param>
    /// <param name="one">The word for one such object.</param>
    /// <param name="many">The word for several.</param>
    public static IEnumerable<string> Unknown(IConfigurationSection section, IReadOnlyCollection<string> names, string one, string many)
    {
        var allowed = names.Count == 0 ? $"nothing, because no {one} was added" : $"the {many} {string.Join(", ", names)}";
        return section.Value is { Length: > 0 } ? [Wrong(section, allowed)]
            : section.GetChildren().Where(child => !names.Contains(child.Key, StringComparer.OrdinalIgnoreCase)).Select(child => Wrong(child, allowed));
    }

    /// <summary>Whether a single text can set options of a type.</summary>
    public static bool IsReadable(Type type) => Bare(type) is var value && (value.IsEnum || s_kinds.ContainsKey(value));

    /// <summary>Reads a text. Returns false when the text is of another kind.</summary>
    public static bool TryRead(Type type, string text, out object? value)
    {
        value = s_kinds.TryGetValue(Bare(type), out var kind) ? kind.Read(text) : Member(Bare(type), text);
        return value is not null;
    }

    /// <summary>Returns the kind of text that an option accepts, where it has no range.</summary>
    public static string Kind(Type type) => s_kinds.TryGetValue(Bare(type), out var kind) ? kind.Allowed : Names(Bare(type));

    /// <summary>Returns the names of an enumeration, as messages list them.</summary>
    public static string Names(Type type)
    {
        string[] names = Enum.GetNames(type);
        return $"{string.Join(", ", names[..^1])} or {names[^1]}";
    }

    /// <summary>Returns the message for a key of the configuration that has a wrong value.</summary>
    public static string Wrong(IConfigurationSection key, string allowed) => Wrong(key.Path, key.Value ?? "(a section)", allowed);

    /// <summary>Returns the message for an option that has a wrong value.</summary>
    public static string Wrong(string option, object value, string allowed) =>
        $"{Printable(option)} is '{Printable(Convert.ToString(value, CultureInfo.InvariantCulture)!)}'; allowed: {allowed}.";

    /// <summary>Returns a text that can be part of a line of a log, with control characters as in JSON.</summary>
    public static string Printable(string text) =>
        text.Any(char.IsControl) ? string.Concat(text.Select(static it => char.IsControl(it) ? $"\\u{(int)it:x4}" : $"{it}")) : text;

    /// <summary>Returns the error of an option whose values have names; <see langword="null"/> when there is none.</summary>
    public static string? Unnamed<T>(string option, T value)
        where T : struct, Enum => Enum.IsDefined(value) ? null : Wrong(option, value, Names(typeof(T)));

    /// <summary>Refuses an argument whose value has no name.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value has no name. The message lists the names.</exception>
    public static void ThrowIfUnnamed<T>(string argument, T value)
        where T : struct, Enum
    {
        if (Unnamed(argument, value) is { } failure)
        {
            throw new ArgumentOutOfRangeException(argument, value, failure);
        }
    }

    /// <summary>Returns the error of an option that is a name; <see langword="null"/> when there is none, or the option is not set.</summary>
    public static string? NoName(string option, string? value) =>
        value is null || (!string.IsNullOrWhiteSpace(value) && !value.Any(char.IsControl)) ? null : Wrong(option, value, NameAllowed);

    /// <summary>The same for the name of a work class.</summary>
    public static string? NoClass(string option, string? value) =>
        NoName(option, value)
            ?? (value == WorkClass.InFlightName ? Wrong(option, value, $"{NameAllowed}, except '{WorkClass.InFlightName}'") : null);

    /// <summary>Refuses an argument that cannot be a name.</summary>
    /// <exception cref="ArgumentException">The name is empty, white space, or has a control character.</exception>
    public static void ThrowIfNoName(string? name, string argument)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name, argument);
        if (NoName(argument, name) is { } failure)
        {
            throw new ArgumentException(failure, argument);
        }
    }

    /// <summary>Refuses an argument that cannot be the name of a section of the configuration.</summary>
    /// <exception cref="ArgumentException">The name is empty, white space, or has ':' or a control character.</exception>
    public static void ThrowIfNoKey(string? name, string argument)
    {
        ThrowIfNoName(name, argument);
        if (name!.Contains(':', StringComparison.Ordinal))
        {
            throw new ArgumentException($"The {argument} is '{name}'; it must not contain ':', which separates the keys of the configuration.", argument);
        }
    }

    private static Type Bare(Type type) => Nullable.GetUnderlyingType(type) ?? type;

    // The parser reads a number without a colon as days, but "1" may be meant as a second or a millisecond. Zero has no unit.
    private static TimeSpan? Time(string text) =>
        string.Equals(text.Trim(), nameof(Timeout.Infinite), StringComparison.OrdinalIgnoreCase) ? Timeout.InfiniteTimeSpan
        : !text.Contains(':', StringComparison.Ordinal) && text.Trim() != "0" ? null
        : TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out var time) ? time
        : null;

    // Names only. The parser also accepts any number, whose meaning changes with the order of the names, and lists of names.
    private static object? Member(Type type, string text) =>
        Enum.GetNames(type).FirstOrDefault(name => string.Equals(name, text.Trim(), StringComparison.OrdinalIgnoreCase)) is { } found ? Enum.Parse(type, found)
            : null;
}
