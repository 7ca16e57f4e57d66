namespace AdaptivePool.Admission;

/// <summary>What a gate tells the other gates before the same database, in a line short enough for the name of a session.</summary>
internal readonly record struct FleetReport
{
    /// <summary>Characters of a line.</summary>
    public const int Length = 49;

    /// <summary>Characters of an identity: a time, so that the eldest gate comes first, and a random part.</summary>
    public const int IdLength = 11;

    /// <summary>Numbers of reports and of totals start again after this many.</summary>
    public const int Turns = Radix * Radix * Radix;

    private const int Radix = 36;
    private const char Separator = ':';
    private const double RateSteps = 10;
    private const long BindsFlag = 1;
    private const long ProvenFlag = 2;
    private const string Digits = "0123456789abcdefghijklmnopqrstuvwxyz";

    // Widths of the fields after the identity. A value that does not fit is written as the highest one that does.
    private static readonly int[] s_widths = [3, 4, 4, 3, 4, 4, 5, 3, 1, 6];

    /// <summary>The identity of the gate. The gate whose identity comes first in ordinal order looks for the total.</summary>
    public required string Id { get; init; }

    /// <summary>Number of the report, from 0 to <see cref="Turns"/>. A number that stands still belongs to no gate.</summary>
    public int Number { get; init; }

    /// <summary>The limit of all gates together that is in force, as far as the gate knows.</summary>
    public int Total { get; init; }

    /// <summary>The total that the search has confirmed.</summary>
    public int Verified { get; init; }

    /// <summary>Number of that total, from 0 to <see cref="Turns"/>.</summary>
    public int Epoch { get; init; }

    /// <summary>The limit of the gate itself; 0 where it is switched off.</summary>
    public int Limit { get; init; }

    /// <summary>Transactions that were inside or waited lately, with some room. At most the highest limit of the gate: it wants no more.</summary>
    public int Wanted { get; init; }

    /// <summary>Transactions that ended well per second, since its last report.</summary>
    public double PerSecond { get; init; }

    /// <summary>Transactions that failed per second.</summary>
    public double FailedPerSecond { get; init; }

    /// <summary>Whether the limit of the gate held its transactions back.</summary>
    public bool Binds { get; init; }

    /// <summary>Whether the total was measured, and is not only the one at the start.</summary>
    public bool IsProven { get; init; }

    /// <summary>Mean time that a transaction was inside.</summary>
    public TimeSpan Inside { get; init; }

    /// <summary>Creates an identity.</summary>
    /// <param name="seconds">When the gate began, in seconds of a clock that is roughly the same for all instances.</param>
    /// <param name="drawn">The random part.</param>
    public static string CreateId(long seconds, uint drawn)
    {
        Span<char> id = stackalloc char[IdLength];
        Write(id[..7], seconds);
        Write(id[7..], drawn % (Radix * Radix * Radix * Radix));
        return new string(id);
    }

    /// <summary>Reads a line; false where it has another form.</summary>
    public static bool TryParse(string? line, out FleetReport report)
    {
        report = default;
        if (line is not { Length: Length } || line[IdLength] != Separator || line.AsSpan(IdLength + 1).ContainsAnyExcept(Digits.AsSpan()))
        {
            return false;
        }

        Span<long> fields = stackalloc long[s_widths.Length];
        int at = IdLength + 1;
        for (int i = 0; i < fields.Length; i++)
        {
            fields[i] = Read(line.AsSpan(at, s_widths[i]));
            at += s_widths[i];
        }

        report = new FleetReport
        {
            Id = line[..IdLength],
            Number = (int)fields[0],
            Total = (int)fields[1],
            Verified = (int)fields[2],
            Epoch = (int)fields[3],
            Limit = (int)fields[4],
            Wanted = (int)fields[5],
            PerSecond = fields[6] / RateSteps,
            FailedPerSecond = fields[7] / RateSteps,
            Binds = (fields[8] & BindsFlag) != 0,
            IsProven = (fields[8] & ProvenFlag) != 0,
            Inside = TimeSpan.FromMicroseconds(fields[9]),
        };
        return true;
    }

    /// <summary>The line.</summary>
    public override string ToString()
    {
        Span<char> line = stackalloc char[Length];
        Id.CopyTo(line);
        line[IdLength] = Separator;
        ReadOnlySpan<long> fields =
        [
            Number, Total, Verified, Epoch, Limit, Wanted, (long)Math.Round(PerSecond * RateSteps), (long)Math.Round(FailedPerSecond * RateSteps),
            (Binds ? BindsFlag : 0) | (IsProven ? ProvenFlag : 0),
            (long)Inside.TotalMicroseconds,
        ];
        int at = IdLength + 1;
        for (int i = 0; i < fields.Length; i++)
        {
            Write(line.Slice(at, s_widths[i]), fields[i]);
            at += s_widths[i];
        }

        return new string(line);
    }

    private static void Write(Span<char> into, long value)
    {
        long most = (long)Math.Pow(Radix, into.Length) - 1;
        long rest = Math.Clamp(value, 0, most);
        for (int i = into.Length - 1; i >= 0; i--, rest /= Radix)
        {
            into[i] = Digits[(int)(rest % Radix)];
        }
    }

    private static long Read(ReadOnlySpan<char> text)
    {
        long value = 0;
        foreach (char digit in text)
        {
            value = (value * Radix) + Digits.IndexOf(digit, StringComparison.Ordinal);
        }

        return value;
    }
}
