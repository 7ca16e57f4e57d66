using AdaptivePool.Sample.Bank.Accounts;
using AdaptivePool.Sample.Bank.Storage;
using Microsoft.AspNetCore.Http.HttpResults;

namespace AdaptivePool.Sample.Bank.Endpoints;

internal static class AccountEndpoints
{
    public static Results<Ok<Account>, ProblemHttpResult> Get(int id, IBankStore store)
    {
        if (id < 1)
        {
            return TypedResults.Problem("An account number is 1 or more.", statusCode: StatusCodes.Status400BadRequest);
        }

        return store.Find(id) is { } account
            ? TypedResults.Ok(account)
            : TypedResults.Problem($"There is no account {id}.", statusCode: StatusCodes.Status404NotFound);
    }

    public static Ok<BankTotal> GetTotal(IBankStore store) => TypedResults.Ok(store.GetTotal());
}
