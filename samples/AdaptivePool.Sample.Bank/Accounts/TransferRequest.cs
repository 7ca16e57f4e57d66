namespace AdaptivePool.Sample.Bank.Accounts;

/// <summary>Body of a transfer. A missing member is zero, which <see cref="Validate"/> refuses.</summary>
public sealed record TransferRequest
{
    public int From { get; init; }

    public int To { get; init; }

    /// <summary>Cents to move.</summary>
    public long Amount { get; init; }

    /// <summary>What is wrong with the request, by member; empty when nothing is.</summary>
    public Dictionary<string, string[]> Validate()
    {
        Dictionary<string, string[]> errors = [];
        if (From < 1)
        {
            errors["from"] = ["An account number is 1 or more."];
        }

        if (To < 1)
        {
            errors["to"] = ["An account number is 1 or more."];
        }
        else if (To == From)
        {
            errors["to"] = ["The account must not be the one that the money comes from."];
        }

        if (Amount < 1)
        {
            errors["amount"] = ["An amount is 1 cent or more."];
        }

        return errors;
    }
}
