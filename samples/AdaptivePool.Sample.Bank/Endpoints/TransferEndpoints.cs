using AdaptivePool.Sample.Bank.Accounts;
using AdaptivePool.Sample.Bank.Storage;

namespace AdaptivePool.Sample.Bank.Endpoints;

internal static class TransferEndpoints
{
    /// <summary>One read-write transaction with synchronous calls: the thread waits for the database.</summary>
    public static IResult Post(TransferRequest request, IBankStore store)
        => Refuse(request) ?? Answer(request, store.Transfer(request));

    /// <summary>The same transaction with asynchronous calls.</summary>
    public static async Task<IResult> PostAsync(TransferRequest request, IBankStore store, CancellationToken aborted)
        => Refuse(request) ?? Answer(request, await store.TransferAsync(request, aborted));

    private static IResult? Refuse(TransferRequest request)
        => request.Validate() is { Count: > 0 } errors ? TypedResults.ValidationProblem(errors) : null;

    private static IResult Answer(TransferRequest request, TransferOutcome outcome) => outcome switch
    {
        { Receipt: { } receipt } => TypedResults.Ok(receipt),
        { UnknownAccount: { } id } => TypedResults.Problem($"There is no account {id}.", statusCode: StatusCodes.Status404NotFound),
        _ => TypedResults.Problem($"Account {request.From} has less than {request.Amount} cents.", statusCode: StatusCodes.Status409Conflict),
    };
}
