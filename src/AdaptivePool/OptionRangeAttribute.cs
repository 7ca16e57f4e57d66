using System.ComponentModel.DataAnnotations;
using System.Globalization;

namespace AdaptivePool;

/// <summary>
/// The values that an option may have. If the option can be null, it may always be not set. Validation and its messages, the configuration section, the
/// tables of the documents and the JSON schema of the section are made from it.
/// </summary>
[AttributeUsage(AttributeTargets.Property)]
internal sealed class OptionRangeAttribute : ValidationAttribute
{
    private const string UnitOfTime = "days.hours:minutes:seconds";

    // Numbers between these values are written as users write them: 0.00001, and not 1E-05.
    private const double LeastInDigits = 1e-9;
    private const double MostInDigits = 1e9;

    /// <summary>A range of whole numbers.</summary>
    /// <param name="minimum">The least value.</param>
    /// <param name="maximum">The greatest value.</param>
    /// <param name="minimumOption"><see cref="MinimumOption"/>.</param>
    /// <param name="maximumOption"><see cref="MaximumOption"/>.</param>
    /// <param name="minimumMeans"><see cref="MinimumMeans"/>.</param>
    /// <param name="orZero"><see cref="OrZero"/>.</param>
    /// <param name="unit"><see cref="Unit"/>.</param>
    /// <remarks>All of it is passed here: for an attribute's property that is set by its name, the runtime emits a method and compiles it, which takes a
    /// starting process 5 ms.</remarks>
    public OptionRangeAttribute(
        int minimum,
        int maximum,
        string? minimumOption = null,
        string? maximumOption = null,
        string? minimumMeans = null,
        bool orZero = false,
        string? unit = null)
    {
        (Minimum, Maximum, MinimumOption, MaximumOption) = (minimum, maximum, minimumOption, maximumOption);
        (MinimumMeans, OrZero, Unit) = (minimumMeans, orZero, unit);
    }

    /// <summary>A range of numbers.</summary>
    /// <param name="minimum">The least value.</param>
    /// <param name="maximum">The greatest value.</param>
    public OptionRangeAttribute(double minimum, double maximum) => (Minimum, Maximum) = (minimum, maximum);

    /// <summary>A range of times.</summary>
    /// <param name="minimum">The least value, as days.hours:minutes:seconds.</param>
    /// <param name="maximum">The greatest value, in the same form.</param>
    /// <param name="minimumOption"><see cref="MinimumOption"/>.</param>
    /// <param name="orInfinite"><see cref="OrInfinite"/>.</param>
    public OptionRangeAttribute(string minimum, string maximum, string? minimumOption = null, bool orInfinite = false)
    {
        (MinimumOption, OrInfinite) = (minimumOption, orInfinite);
        Minimum = TimeSpan.Parse(minimum, CultureInfo.InvariantCulture);
        Maximum = TimeSpan.Parse(maximum, CultureInfo.InvariantCulture);
        Unit = UnitOfTime;
    }

    /// <summary>The least value: an <see cref="int"/>, a <see cref="double"/> or a <see cref="TimeSpan"/>.</summary>
    public object Minimum { get; }

    /// <summary>The greatest value, of the same type.</summary>
    public object Maximum { get; }

    /// <summary>Name of the option whose value is the least one, if it is greater; default <see langword="null"/>: none.</summary>
    public string? MinimumOption { get; }

    /// <summary>Name of the option whose value is the greatest one, if it is less; default <see langword="null"/>: none.</summary>
    public string? MaximumOption { get; }

    /// <summary>What the least value means; default <see langword="null"/>: nothing special.</summary>
    public string? MinimumMeans { get; }

    /// <summary>Whether zero is allowed in addition to the range. Default false.</summary>
    public bool OrZero { get; }

    /// <summary>Whether <see cref="Timeout.InfiniteTimeSpan"/> is allowed in addition to the range; "Infinite" in configuration. Default false.</summary>
    public bool OrInfinite { get; }

    /// <summary>Unit of the values; default <see langword="null"/>: none. For times, their format.</summary>
    public string? Unit { get; }

    /// <summary>What is allowed, in words.</summary>
    public string Allowed => Describe(null, null);

    /// <summary>Whether a value is allowed, other options aside.</summary>
    /// <param name="value">The value; null is always allowed.</param>
    public override bool IsValid(object? value) => IsWithin(value, null, null);

    /// <summary>Says what is allowed.</summary>
    /// <param name="name">Name of the option.</param>
    public override string FormatErrorMessage(string name) => $"{name}; allowed: {Allowed}.";

    /// <summary>Writes a value of an option as it is in its configuration, with control characters as in JSON.</summary>
    internal static string Text(object? value) => value switch
    {
        string text => string.Concat(text.Select(static it => char.IsControl(it) ? $"\\u{(int)it:x4}" : $"{it}")),
        TimeSpan time when time == Timeout.InfiniteTimeSpan => nameof(Timeout.Infinite),
        double number when Math.Abs(number) is >= LeastInDigits and < MostInDigits => ((decimal)number).ToString(CultureInfo.InvariantCulture),
        IFormattable formattable => formattable.ToString(null, CultureInfo.InvariantCulture),
        _ => value?.ToString() ?? "",
    };

    /// <summary>Whether a value is allowed while other options have these values.</summary>
    internal bool IsWithin(object? value, object? least, object? greatest) =>
        value is null
        || (OrZero && value is 0)
        || (OrInfinite && value is TimeSpan time && time == Timeout.InfiniteTimeSpan)
        || (value is not double.NaN && Compare(value, Least(least)) >= 0 && Compare(value, Greatest(greatest)) <= 0);

    /// <summary>Describes what is allowed while other options have these values.</summary>
    internal string Describe(object? least, object? greatest)
    {
        string means = MinimumMeans is null ? "" : $" ({MinimumMeans})";
        string from = ReferenceEquals(Least(least), Minimum) ? Text(Minimum) + means : $"{Text(least)} ({MinimumOption})";
        string to = ReferenceEquals(Greatest(greatest), Maximum) ? Text(Maximum) : $"{Text(greatest)} ({MaximumOption})";
        string unit = Unit is null ? "" : $" ({Unit})";
        return $"{(OrZero ? "0, or " : "")}{from} to {to}{unit}{(OrInfinite ? ", or Infinite" : "")}";
    }

    private static int Compare(object a, object b) => ((IComparable)a).CompareTo(b);

    // An option that is itself out of range has an error of its own, and bounds no other option.
    private object Least(object? option) => option is not null && Compare(option, Minimum) > 0 && Compare(option, Maximum) <= 0 ? option : Minimum;

    private object Greatest(object? option) => option is not null && Compare(option, Maximum) < 0 && Compare(option, Minimum) >= 0 ? option : Maximum;
}
