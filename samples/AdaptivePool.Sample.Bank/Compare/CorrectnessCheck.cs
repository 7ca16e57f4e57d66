using AdaptivePool.Sample.Bank.Accounts;
using AdaptivePool.Sample.Bank.Storage;
using AdaptivePool.Sample.Bank.Threads;
using Microsoft.AspNetCore.Mvc;

namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>Everything that must be true besides the answers under load.</summary>
internal static class CorrectnessCheck
{
    /// <summary>Requests that must be refused are refused, by both ways to transfer.</summary>
    public static async Task RefusalsAsync(BankProcess bank, CancellationToken cancellationToken)
    {
        List<Call> calls = [Refused("/accounts/0", null, 400), Refused("/accounts/x", null, 400), Refused($"/accounts/{BankSql.AccountCount + 1}", null, 404)];
        foreach (string path in (string[])["/transfer", "/transfer-async"])
        {
            calls.Add(Refused(path, "{"u8.ToArray(), 400));
            calls.Add(RefusedTransfer(path, new TransferRequest { From = 1, To = 1, Amount = 1 }, 400));
            calls.Add(RefusedTransfer(path, new TransferRequest { From = 1, To = 2, Amount = 0 }, 400));
            calls.Add(RefusedTransfer(path, new TransferRequest { From = 1, To = BankSql.AccountCount + 1, Amount = 1 }, 404));
            calls.Add(RefusedTransfer(path, new TransferRequest { From = 1, To = 2, Amount = BankSql.InitialBalance * BankSql.AccountCount }, 409));
        }

        foreach (Call call in calls)
        {
            (int status, byte[] body) = await bank.Client.SendAsync(call, cancellationToken);
            if (!call.IsRight(status, body))
            {
                throw new CompareException($"On {PoolNames.Of(bank.Kind)}, a request to {call.Path} that must be refused got the status {status}.");
            }
        }
    }

    /// <summary>Each child runs on the pool that the table says.</summary>
    public static async Task PoolAsync(BankProcess bank, CancellationToken cancellationToken)
    {
        bool adaptive = (await GetAsync<ThreadReport>(bank, "/threads", cancellationToken)).Completed > 0;
        if (adaptive != (bank.Kind == PoolKind.Adaptive))
        {
            throw new CompareException($"The bank that should run on {PoolNames.Of(bank.Kind)} does not run on it.");
        }
    }

    /// <summary>No money was made or lost, and every transfer that was answered is in the books.</summary>
    public static async Task MoneyAsync(BankProcess bank, CancellationToken cancellationToken)
    {
        BankTotal total = await GetAsync<BankTotal>(bank, "/total", cancellationToken);
        const long Expected = BankSql.AccountCount * BankSql.InitialBalance;
        if (total.Balance != Expected || total.Accounts != BankSql.AccountCount || total.Transfers != bank.TransfersSeen)
        {
            throw new CompareException(
                $"The balances on {PoolNames.Of(bank.Kind)} are wrong: {total.Accounts} accounts hold {total.Balance} cents after {total.Transfers} transfers; "
                + $"expected: {BankSql.AccountCount}, {Expected} and {bank.TransfersSeen}.");
        }
    }

    private static async Task<T> GetAsync<T>(BankProcess bank, string path, CancellationToken cancellationToken)
        where T : class
    {
        (int status, byte[] body) = await bank.Client.SendAsync(new Call(path, null, (_, _) => true), cancellationToken);
        return (status == 200 ? Workloads.Read<T>(body) : null)
            ?? throw new CompareException($"{path} on {PoolNames.Of(bank.Kind)} answered {status}.");
    }

    private static Call RefusedTransfer(string path, TransferRequest request, int expected) => Refused(path, Workloads.Write(request), expected);

    private static Call Refused(string path, byte[]? request, int expected)
        => new(path, request, (status, body) => status == expected && Workloads.Read<ProblemDetails>(body)?.Status == expected);
}
