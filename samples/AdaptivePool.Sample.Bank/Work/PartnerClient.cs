namespace AdaptivePool.Sample.Bank.Work;

/// <summary>A slow partner service behind a synchronous client.</summary>
internal sealed class PartnerClient
{
    public static readonly PartnerQuote Quote = new("EUR/USD", 10_850);

    private static readonly TimeSpan s_latency = TimeSpan.FromMilliseconds(50);

    public PartnerQuote GetQuote()
    {
        Thread.Sleep(s_latency);
        return Quote;
    }
}
