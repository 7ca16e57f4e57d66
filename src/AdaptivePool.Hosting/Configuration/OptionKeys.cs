using System.ComponentModel.DataAnnotations;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>
/// The keys of a section of the configuration: the options that a single text can set. The framework's binder ignores unknown keys, or names only the type in
/// which it found one, and never what is allowed.
/// </summary>
/// <typeparam name="T">Type of the options.</typeparam>
internal static class OptionKeys<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties)] T>
    where T : class
{
    private static readonly PropertyInfo[] s_options =
    [
        .. typeof(T).GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Where(static it => it.SetMethod is { IsPublic: true } && OptionText.IsReadable(it.PropertyType)),
    ];

    /// <summary>The keys, in the order of the options.</summary>
    public static IReadOnlyList<string> All { get; } = [.. s_options.Select(static it => it.Name)];

    /// <summary>Sets the options to the values that can be read.</summary>
    /// <param name="options">The options.</param>
    /// <param name="section">The section.</param>
    public static void Apply(T options, IConfigurationSection section)
    {
        foreach (var option in s_options)
        {
            if (section[option.Name] is { } text && OptionText.TryRead(option.PropertyType, text, out var value))
            {
                option.SetValue(options, value);
            }
        }
    }

    /// <summary>All errors of a section: a single value in place of the section, unknown keys, and values that cannot be read.</summary>
    /// <param name="section">The section.</param>
    /// <param name="keys">The known keys.</param>
    /// <param name="instead">What is allowed, for the message about a value in place of the section.</param>
    /// <param name="others">Returns the errors of a key that is no option of the type; <see langword="null"/> for a key that is.</param>
    public static IEnumerable<string> Failures(
        IConfigurationSection section, IReadOnlyList<string> keys, string instead, Func<IConfigurationSection, IEnumerable<string>?> others)
    {
        IEnumerable<string> wrong = section.Value is { Length: > 0 } ? [OptionText.Wrong(section, instead)] : [];
        return wrong.Concat(section.GetChildren().SelectMany(child =>
            !keys.Contains(child.Key, StringComparer.OrdinalIgnoreCase) ? [OptionText.Wrong(child, $"the keys {string.Join(", ", keys)}")]
            : others(child) ?? Failures(child)));
    }

    /// <summary>The errors of a key of the section: a value that cannot be read, or keys below it.</summary>
    /// <param name="key">The key, one of <see cref="All"/>.</param>
    public static IEnumerable<string> Failures(IConfigurationSection key)
    {
        var option = s_options.First(it => string.Equals(it.Name, key.Key, StringComparison.OrdinalIgnoreCase));
        return key.GetChildren().Any() ? key.GetChildren().Select(nested => OptionText.Wrong(nested, $"one value at {key.Path}, nothing below it"))
            : key.Value is not { } text || OptionText.TryRead(option.PropertyType, text, out _) ? []
            : [option.GetCustomAttribute<ValidationAttribute>()?.FormatErrorMessage($"{OptionText.Printable(key.Path)} is '{OptionText.Printable(text)}'")
                ?? OptionText.Wrong(key, OptionText.Kind(option.PropertyType))];
    }
}
