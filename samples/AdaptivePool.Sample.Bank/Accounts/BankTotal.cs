namespace AdaptivePool.Sample.Bank.Accounts;

/// <summary>The books at one moment: transfers move money, so <see cref="Balance"/> never changes.</summary>
public sealed record BankTotal
{
    public long Accounts { get; init; }

    public long Balance { get; init; }

    public long Transfers { get; init; }
}
