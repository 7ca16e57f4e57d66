namespace AdaptivePool.Sample.Bank.Accounts;

/// <summary>How a transfer ended. Without a <see cref="Receipt"/> nothing was changed.</summary>
public sealed record TransferOutcome
{
    public TransferReceipt? Receipt { get; private init; }

    public int? UnknownAccount { get; private init; }

    public static TransferOutcome InsufficientBalance { get; } = new();

    public static TransferOutcome Done(TransferReceipt receipt) => new() { Receipt = receipt };

    public static TransferOutcome NoSuchAccount(int id) => new() { UnknownAccount = id };
}
