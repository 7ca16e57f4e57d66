using System.Globalization;
using System.Reflection;

namespace AdaptivePool.Tests.Architecture;

/// <summary>What an option may be, as the tables of the documents say it.</summary>
internal static class OptionTables
{
    /// <summary>The allowed values of an option; <see langword="null"/> where its type does not say.</summary>
    public static string? Allowed(PropertyInfo option)
    {
        Type type = Nullable.GetUnderlyingType(option.PropertyType) ?? option.PropertyType;
        if (type.IsEnum)
        {
            return string.Join(", ", Enum.GetNames(type));
        }

        if (option.GetCustomAttribute<OptionRangeAttribute>() is not { } range)
        {
            return null;
        }

        bool isBytes = range.Unit == "bytes";
        string from = range.MinimumOption ?? Text(range.Minimum, isBytes);
        string to = range.MaximumOption ?? Text(range.Maximum, isBytes);
        return $"{from} to {to}{(range.OrInfinite ? ", infinite" : "")}{(range.OrZero ? ", 0" : "")}";
    }

    public static string Text(object value, bool isBytes = false) => value switch
    {
        bool flag => flag ? "true" : "false",
        int bytes when isBytes => bytes >= 1 << 20 ? $"{bytes >> 20} MiB" : $"{bytes >> 10} KiB",
        int whole => whole.ToString("N0", CultureInfo.InvariantCulture),
        TimeSpan { Ticks: 0 } => "0",
        TimeSpan time when time >= TimeSpan.FromHours(1) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalHours} h"),
        TimeSpan time when time >= TimeSpan.FromSeconds(1) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds} s"),
        TimeSpan time when time >= TimeSpan.FromMilliseconds(1) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalMilliseconds} ms"),
        TimeSpan time => string.Create(CultureInfo.InvariantCulture, $"{time.TotalMicroseconds} us"),
        double number => ((decimal)number).ToString("#,0.#####", CultureInfo.InvariantCulture),
        _ => string.Format(CultureInfo.InvariantCulture, "{0}", value),
    };
}
