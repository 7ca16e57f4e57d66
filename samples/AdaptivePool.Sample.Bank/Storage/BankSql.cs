namespace AdaptivePool.Sample.Bank.Storage;

/// <summary>The statements that both databases understand.</summary>
internal static class BankSql
{
    public const int AccountCount = 10_000;

    /// <summary>10,000.00 for every customer, in cents.</summary>
    public const long InitialBalance = 1_000_000;

    // The last line makes the statement harmless when it runs again.
    public const string Fill = """
        WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < @AccountCount)
        INSERT INTO accounts (id, owner, balance) SELECT id, 'Customer ' || id, @InitialBalance FROM n
        WHERE NOT EXISTS (SELECT 1 FROM accounts)
        """;

    public const string Find = "SELECT id, owner, balance FROM accounts WHERE id = @id";

    // In the order of the ids: two transfers between the same accounts lock them in the same order and cannot wait for each other.
    public const string FindBoth = "SELECT id, owner, balance FROM accounts WHERE id IN (@From, @To) ORDER BY id";

    // Not one batch with Record: Npgsql finishes sending a synchronous batch on the runtime's pool, and when all of its threads wait for an answer nobody is
    // left to send.
    public const string Move = """
        UPDATE accounts SET balance = balance + CASE WHEN id = @From THEN -@Amount ELSE @Amount END WHERE id IN (@From, @To)
        """;

    public const string Record = "INSERT INTO transfers (from_account, to_account, amount) VALUES (@From, @To, @Amount)";

    public const string Total = """
        SELECT COUNT(*) AS accounts, CAST(SUM(balance) AS BIGINT) AS balance, (SELECT COUNT(*) FROM transfers) AS transfers FROM accounts
        """;
}
