using System.Text;
using System.Text.Json;
using AdaptivePool.Sample.Bank.Accounts;
using AdaptivePool.Sample.Bank.Storage;
using AdaptivePool.Sample.Bank.Work;

namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>
/// The load on each endpoint, those that need the fewest threads first: a thread that one endpoint has needed is still there for the next.
/// </summary>
internal static class Workloads
{
    private const int Clients = 64;

    // Work that only computes is not faster with more clients; they would only wait longer, and the run for the last of them.
    private const int ReportClients = 16;
    private const int BlockedClients = 128;
    private const int MaxAmount = 100;

    private static readonly byte[] s_hello = Encoding.UTF8.GetBytes("Hello from the bank");

    public static Workload[] All(RiskReport report) =>
    [
        new("GET /hello", Clients, 1, Hello),
        new("GET /accounts/{id}", Clients, 1, ReadAccount),
        new("GET /report", ReportClients, 1, _ => new Call("/report", null, (status, body) => status == 200 && Read<RiskReport>(body) == report))
        {
            // All of them: without a queue nothing has what looks at one compiled, and no pool grows by work that only computes.
            WarmUpClients = ReportClients,
        },
        new("POST /transfer-async", Clients, 1, random => Transfer("/transfer-async", random)) { MovesMoney = true },
        new("POST /transfer", Clients, 1, random => Transfer("/transfer", random)) { MovesMoney = true },
        new("GET /partner", Clients, 2, Partner) { Blocks = true },
        new("GET /legacy", Clients, 2, Legacy) { Blocks = true },
    ];

    /// <summary>/hello while all that blocks is asked at once. It comes after everything else: a starved pool takes long to recover.</summary>
    public static Workload Starved { get; } = new("GET /hello, starved", 1, 2, Hello)
    {
        Beside = [new("GET /partner", BlockedClients, 0, Partner), new("GET /legacy", BlockedClients, 0, Legacy)],
    };

    public static byte[] Write(TransferRequest request) => JsonSerializer.SerializeToUtf8Bytes(request, JsonSerializerOptions.Web);

    public static T? Read<T>(byte[] body)
    {
        try
        {
            return JsonSerializer.Deserialize<T>(body, JsonSerializerOptions.Web);
        }
        catch (JsonException)
        {
            return default;
        }
    }

    private static Call Hello(Random random) => new("/hello", null, (status, body) => status == 200 && body.AsSpan().SequenceEqual(s_hello));

    private static Call Partner(Random random) => new("/partner", null, (status, body) => status == 200 && Read<PartnerQuote>(body) == PartnerClient.Quote);

    private static Call Legacy(Random random) => new("/legacy", null, (status, body) => IsAccount(status, body, LegacyClient.AccountId));

    private static Call ReadAccount(Random random)
    {
        int id = random.Next(1, BankSql.AccountCount + 1);
        return new Call($"/accounts/{id}", null, (status, body) => IsAccount(status, body, id));
    }

    private static bool IsAccount(int status, byte[] body, int id)
        => status == 200 && Read<Account>(body) is { Balance: >= 0 } account && account.Id == id && account.Owner == $"Customer {id}";

    private static Call Transfer(string path, Random random)
    {
        int from = random.Next(1, BankSql.AccountCount + 1);
        int to = random.Next(1, BankSql.AccountCount);
        TransferRequest request = new() { From = from, To = to < from ? to : to + 1, Amount = random.Next(1, MaxAmount + 1) };
        return new Call(path, Write(request), (status, body) => status == 200 && IsReceipt(body, request));
    }

    private static bool IsReceipt(byte[] body, TransferRequest request)
        => Read<TransferReceipt>(body) is { FromBalance: >= 0 } receipt
            && receipt.From == request.From && receipt.To == request.To && receipt.Amount == request.Amount && receipt.ToBalance >= request.Amount;
}
