using System.Globalization;

namespace AdaptivePool.Balancing;

/// <summary>Refuses values that are out of their range. The message names the option, its value and what is allowed.</summary>
internal static class OptionCheck
{
    /// <exception cref="ArgumentOutOfRangeException">The condition does not hold.</exception>
    public static void Require(bool holds, string option, object? value, string allowed)
    {
        if (!holds)
        {
            throw new ArgumentOutOfRangeException(option, value, string.Create(CultureInfo.InvariantCulture, $"{option} is '{value}'; allowed: {allowed}."));
        }
    }

    /// <exception cref="ArgumentOutOfRangeException">The interval is not a time that a thread can sleep between two looks.</exception>
    public static void RequireInterval(TimeSpan interval) =>
        Require(interval >= TimeSpan.FromMilliseconds(1) && interval <= BackendPicker.LongestTime, "Interval", interval, "1 ms to a day");
}
