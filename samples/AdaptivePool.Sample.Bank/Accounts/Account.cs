namespace AdaptivePool.Sample.Bank.Accounts;

/// <summary>An account. Money is counted in cents.</summary>
public sealed record Account
{
    public int Id { get; init; }

    public string Owner { get; init; } = "";

    public long Balance { get; init; }
}
