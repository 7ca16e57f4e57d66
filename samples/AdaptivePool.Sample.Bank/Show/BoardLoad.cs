namespace AdaptivePool.Sample.Bank.Show;

/// <summary>Connections that keep asking endpoints that block, for a while.</summary>
/// <param name="Partner">Connections on /partner, which sleeps.</param>
/// <param name="Legacy">Connections on /legacy, sync over async.</param>
/// <param name="Seconds">How long.</param>
internal sealed record BoardLoad(int Partner, int Legacy, int Seconds)
{
    public const int MaxConnections = 256;
    public const int MaxSeconds = 30;
    public const int DefaultSeconds = 10;

    /// <summary>What is wrong with it; null when nothing is.</summary>
    public string? Validate()
    {
        if (Partner is < 0 or > MaxConnections || Legacy is < 0 or > MaxConnections || Partner + Legacy is < 1 or > MaxConnections)
        {
            return $"partner + legacy is {Partner} + {Legacy}; allowed: 1 to {MaxConnections} connections together.";
        }

        return Seconds is < 1 or > MaxSeconds ? $"seconds is {Seconds}; allowed: 1 to {MaxSeconds}." : null;
    }
}
