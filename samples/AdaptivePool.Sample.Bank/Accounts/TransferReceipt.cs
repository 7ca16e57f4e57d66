namespace AdaptivePool.Sample.Bank.Accounts;

/// <summary>What a transfer did: the request, and both balances after it.</summary>
public sealed record TransferReceipt
{
    public required int From { get; init; }

    public required int To { get; init; }

    public required long Amount { get; init; }

    public required long FromBalance { get; init; }

    public required long ToBalance { get; init; }
}
