namespace AdaptivePool.Control;

/// <summary>Checks of options: whatever is refused names the option, its value and what is allowed.</summary>
internal static class OptionRange
{
    /// <summary>Refuses a number outside its range, and one that is not a number.</summary>
    /// <param name="name">Name of the option.</param>
    /// <param name="value">Its value.</param>
    /// <param name="min">Lowest value allowed.</param>
    /// <param name="max">Highest value allowed.</param>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside the range.</exception>
    public static void Check(string name, double value, double min, double max)
    {
        if (!(value >= min && value <= max))
        {
            throw Outside(name, value, FormattableString.Invariant($"{min} to {max}"));
        }
    }

    /// <summary>Refuses a duration under 1 ms or over 1 hour.</summary>
    /// <param name="name">Name of the option.</param>
    /// <param name="value">Its value.</param>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside the range.</exception>
    public static void Check(string name, TimeSpan value)
    {
        if (value < TimeSpan.FromMilliseconds(1) || value > TimeSpan.FromHours(1))
        {
            throw Outside(name, value, "00:00:00.001 to 01:00:00");
        }
    }

    /// <summary>Refuses an upper limit under its lower one.</summary>
    /// <param name="name">Name of the upper one.</param>
    /// <param name="value">Its value.</param>
    /// <param name="lowerName">Name of the lower one.</param>
    /// <param name="lower">Its value.</param>
    /// <exception cref="ArgumentOutOfRangeException">The upper one is under the lower one.</exception>
    public static void CheckOrder<T>(string name, T value, string lowerName, T lower)
        where T : IComparable<T>
    {
        if (value.CompareTo(lower) < 0)
        {
            throw Outside(name, value, FormattableString.Invariant($"{lowerName} ({lower}) or more"));
        }
    }

    /// <summary>Refuses a number that is no member of its enumeration.</summary>
    /// <param name="name">Name of the option.</param>
    /// <param name="value">Its value.</param>
    /// <exception cref="ArgumentOutOfRangeException">The value is not a member.</exception>
    public static void CheckDefined<T>(string name, T value)
        where T : struct, Enum
    {
        if (!Enum.IsDefined(value))
        {
            throw Outside(name, value, string.Join(" or ", Enum.GetNames<T>()));
        }
    }

    /// <summary>The error for an option that is not allowed.</summary>
    /// <param name="name">Name of the option.</param>
    /// <param name="value">Its value.</param>
    /// <param name="range">What is allowed, in words.</param>
    public static ArgumentOutOfRangeException Outside(string name, object? value, string range)
        => new(name, value, FormattableString.Invariant($"{name} is {value ?? "null"}; it must be {range}."));
}
