namespace AdaptivePool.Sample.Bank;

/// <summary>Section "Bank" of the configuration.</summary>
public sealed class BankOptions
{
    public const string Section = "Bank";

    /// <summary>SQLite file, relative to the content root. Not used with PostgreSQL.</summary>
    public string DatabaseFile { get; set; } = "bank.db";

    /// <summary>How long a transfer waits for another process that writes to the SQLite file, in seconds; 1 or more.</summary>
    public int BusyTimeoutSeconds { get; set; } = 5;

    /// <summary>PostgreSQL schema that holds the tables: lower-case letters, digits and underscores.</summary>
    public string Schema { get; set; } = "bank";

    /// <summary>False leaves the pool out altogether: the baseline that "compare" measures against.</summary>
    public bool UseAdaptivePool { get; set; } = true;

    /// <summary>Random walks in one report. Default: as many as this machine does in 20 ms, measured at the first report.</summary>
    public int? ReportPaths { get; set; }

    /// <summary>Stops the app when its standard input ends, so that it never outlives the program that started it.</summary>
    public bool StopWithInput { get; set; }

    /// <summary>Writes a line about the pool to standard output four times a second, for the program that started the app.</summary>
    public bool ReportPool { get; set; }
}
