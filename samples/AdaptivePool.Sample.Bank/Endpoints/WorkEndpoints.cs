using AdaptivePool.Sample.Bank.Accounts;
using AdaptivePool.Sample.Bank.Work;
using Microsoft.AspNetCore.Http.HttpResults;

namespace AdaptivePool.Sample.Bank.Endpoints;

internal static class WorkEndpoints
{
    /// <summary>Sync over async: this thread waits for a continuation that needs a thread of the same pool.</summary>
    public static Ok<Account> GetLegacy(LegacyClient client) => TypedResults.Ok(client.GetAccountAsync().Result);

    /// <summary>Pure CPU work, about 20 ms.</summary>
    public static Ok<RiskReport> GetReport(RiskCalculator calculator) => TypedResults.Ok(calculator.Run());

    /// <summary>A synchronous call to a service that takes 50 ms.</summary>
    public static Ok<PartnerQuote> GetPartner(PartnerClient client) => TypedResults.Ok(client.GetQuote());
}
