using System.Globalization;

namespace AdaptivePool.Sample.Bank;

/// <summary>Section "Bank" of the configuration.</summary>
public sealed class BankOptions
{
    public const string Section = "Bank";

    private const int MostBusySeconds = 3_600;
    private const int MostReportPaths = 1_000_000_000;
    private static readonly string[] s_keys = [.. typeof(BankOptions).GetProperties().Select(static it => it.Name)];

    /// <summary>SQLite file, relative to the content root. Not used with PostgreSQL.</summary>
    public string DatabaseFile { get; set; } = "bank.db";

    /// <summary>How long a transfer waits for another process that writes to the SQLite file, in seconds: 1 to 3,600.</summary>
    public int BusyTimeoutSeconds { get; set; } = 5;

    /// <summary>PostgreSQL schema that holds the tables: lower-case letters, digits and underscores.</summary>
    public string Schema { get; set; } = "bank";

    /// <summary>False leaves the pool out altogether: the baseline that "compare" measures against.</summary>
    public bool UseAdaptivePool { get; set; } = true;

    /// <summary>
    /// Random walks in one report: 1 to 1,000,000,000. Default: as many as this machine does in 20 ms, measured at the first report.
    /// </summary>
    public int? ReportPaths { get; set; }

    /// <summary>Stops the app when its standard input ends, so that it never outlives the program that started it.</summary>
    public bool StopWithInput { get; set; }

    /// <summary>Writes a line about the pool to standard output four times a second, for the program that started the app.</summary>
    public bool ReportPool { get; set; }

    /// <summary>Reads the section.</summary>
    /// <exception cref="BankSettingException">A key is unknown, or a value cannot be read or is out of its range.</exception>
    public static BankOptions Read(IConfiguration configuration)
    {
        IConfigurationSection section = configuration.GetSection(Section);
        if (section.GetChildren().FirstOrDefault(static it => !s_keys.Contains(it.Key, StringComparer.OrdinalIgnoreCase)) is { } unknown)
        {
            throw new BankSettingException($"{unknown.Path} is unknown; allowed: {string.Join(", ", s_keys)}.");
        }

        BankOptions options = Bind(section);
        CheckRange(nameof(BusyTimeoutSeconds), options.BusyTimeoutSeconds, MostBusySeconds);
        if (options.ReportPaths is { } paths)
        {
            CheckRange(nameof(ReportPaths), paths, MostReportPaths);
        }

        return options;
    }

    private static BankOptions Bind(IConfigurationSection section)
    {
        try
        {
            return section.Get<BankOptions>() ?? new();
        }
        catch (InvalidOperationException e)
        {
            // It names the setting, and the type that its value is not of.
            throw new BankSettingException(e.Message, e);
        }
    }

    private static void CheckRange(string key, int value, int most)
    {
        if (value < 1 || value > most)
        {
            throw new BankSettingException(string.Create(CultureInfo.InvariantCulture, $"{Section}:{key} is '{value}'; allowed: 1 to {most}."));
        }
    }
}
