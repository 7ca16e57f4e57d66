using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace AdaptivePool.Balancing;

/// <summary>The load that a backend reports to a balancer: its overload point, if it has one, and how busy it is. It is one line of text in a header.</summary>
/// <remarks>
/// The text is <c>run=R; seq=S</c>, then <c>op=RATE</c> if there is a point. Then <c>rif=N</c> (requests in flight), <c>us=T</c> (mean time until a response
/// begins, in microseconds) and <c>n=N</c> (the number of responses in this mean) follow, as far as they are known. A reader skips parts that it does not know.
/// </remarks>
public readonly record struct LoadReport
{
    /// <summary>The name of the response header.</summary>
    public const string HeaderName = "AdaptivePool-Load";

    /// <summary>The name of the request header with the name of the balancer. A backend reports its load only to configured balancers.</summary>
    public const string BalancerHeaderName = "AdaptivePool-Balancer";

    /// <summary>The maximum length of the text. A longer text is not a report.</summary>
    public const int LongestText = 200;

    /// <summary>
    /// The number of the backend's process. A process that starts later has a higher number. A report of a higher run replaces all reports of earlier runs.
    /// </summary>
    public required long Run { get; init; }

    /// <summary>The number of the report within its run, from 0. A report with a lower number than the last one is late, and the balancer ignores it.</summary>
    public required long Sequence { get; init; }

    /// <summary>The rate that this balancer should stay below; <see langword="null"/> while the backend is not overloaded.</summary>
    public OverloadPoint? Point { get; init; }

    /// <summary>The number of requests in the backend, waiting or running, from all balancers; <see langword="null"/> if it is not known.</summary>
    public int? InFlight { get; init; }

    /// <summary>
    /// The mean time from a request's start, without the wait in the queue, to the beginning of its response; <see langword="null"/> if it is not known.
    /// </summary>
    public TimeSpan? ServiceTime { get; init; }

    /// <summary>
    /// The number of responses in this mean; <see langword="null"/> if it is not known. If later responses have more weight, it is the number of equally
    /// weighted responses that would give the same certainty.
    /// </summary>
    public int? ServiceTimeAnswers { get; init; }

    /// <summary>Whether a balancer may have this name: one or more ASCII letters and digits.</summary>
    /// <param name="name">The value of the header <see cref="BalancerHeaderName"/>, or of an option.</param>
    public static bool IsBalancerName([NotNullWhen(true)] string? name) => !string.IsNullOrEmpty(name) && name.All(char.IsAsciiLetterOrDigit);

    /// <summary>Reads the text of a report.</summary>
    /// <param name="text">The value of the header.</param>
    /// <param name="report">The report.</param>
    /// <returns>False if the text is not a report: a required part is missing, or a part occurs twice, is not a number, is negative, or is too large.</returns>
    public static bool TryParse(ReadOnlySpan<char> text, out LoadReport report)
    {
        report = default;
        if (text.Length > LongestText)
        {
            return false;
        }

        long? run = null, sequence = null, inFlight = null, microseconds = null, answers = null;
        double? point = null;
        foreach (Range range in text.Split(';'))
        {
            ReadOnlySpan<char> part = text[range].Trim();
            int equals = part.IndexOf('=');
            if (equals <= 0)
            {
                return false;
            }

            ReadOnlySpan<char> value = part[(equals + 1)..];
            bool isRead = part[..equals] switch
            {
                "run" => Read(value, long.MaxValue, ref run),
                "seq" => Read(value, long.MaxValue, ref sequence),
                "rif" => Read(value, int.MaxValue, ref inFlight),
                "us" => Read(value, (long)TimeSpan.FromDays(1).TotalMicroseconds, ref microseconds),
                "n" => Read(value, int.MaxValue, ref answers),
                "op" => ReadPoint(value, ref point),
                _ => true,
            };
            if (!isRead)
            {
                return false;
            }
        }

        if (run is null || sequence is null)
        {
            return false;
        }

        report = new LoadReport
        {
            Run = run.Value,
            Sequence = sequence.Value,
            Point = point is { } rate ? new OverloadPoint(rate) : null,
            InFlight = (int?)inFlight,
            ServiceTime = microseconds is { } us ? TimeSpan.FromMicroseconds(us) : null,
            ServiceTimeAnswers = (int?)answers,
        };
        return true;
    }

    /// <summary>Returns the text of the report.</summary>
    public override string ToString()
    {
        CultureInfo plain = CultureInfo.InvariantCulture;
        string text = string.Create(plain, $"run={Run}; seq={Sequence}");
        text += Point is { } point ? string.Create(plain, $"; op={point.PerSecond:R}") : "";
        text += InFlight is { } inFlight ? string.Create(plain, $"; rif={inFlight}") : "";
        text += ServiceTime is { } time ? string.Create(plain, $"; us={(long)time.TotalMicroseconds}") : "";
        return text + (ServiceTimeAnswers is { } answers ? string.Create(plain, $"; n={answers}") : "");
    }

    private static bool Read(ReadOnlySpan<char> text, long highest, ref long? value)
    {
        if (value is not null || !long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long number) || number > highest)
        {
            return false;
        }

        value = number;
        return true;
    }

    private static bool ReadPoint(ReadOnlySpan<char> text, ref double? value)
    {
        const NumberStyles Plain = NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
        if (value is not null || !double.TryParse(text, Plain, CultureInfo.InvariantCulture, out double number) || !OverloadPoint.IsPossible(number))
        {
            return false;
        }

        value = number;
        return true;
    }
}
