using AdaptivePool.Sample.Bank.Accounts;
using AdaptivePool.Sample.Bank.Storage;

namespace AdaptivePool.Sample.Bank.Work;

/// <summary>A client library as many were written: asynchronous inside, with plain awaits, and used synchronously by code that cannot be changed.</summary>
internal sealed class LegacyClient(IBankStore store)
{
    public const int AccountId = 1;

    private static readonly TimeSpan s_networkDelay = TimeSpan.FromMilliseconds(20);

    public async Task<Account> GetAccountAsync()
    {
        await Task.Delay(s_networkDelay);
        return await store.FindAsync(AccountId) ?? throw new InvalidOperationException($"There is no account {AccountId}.");
    }
}
