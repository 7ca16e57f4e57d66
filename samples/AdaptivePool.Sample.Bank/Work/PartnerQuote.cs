namespace AdaptivePool.Sample.Bank.Work;

/// <summary>Answer of the partner service.</summary>
/// <param name="Pair">Currency pair.</param>
/// <param name="RateTimes10000">Rate, in ten-thousandths.</param>
public sealed record PartnerQuote(string Pair, int RateTimes10000);
