using System.Data.Common;
using AdaptivePool.Sample.Bank.Accounts;
using Dapper;

namespace AdaptivePool.Sample.Bank.Storage;

/// <summary>The store on plain ADO.NET. What differs between databases is in the two classes that derive from it.</summary>
internal abstract class AdoBankStore : IBankStore
{
    private const int MaxAttempts = 3;

    public void CreateIfMissing()
    {
        try
        {
            CreateTables();
        }
        catch (DbException e)
        {
            throw new BankSettingException($"{Setting}; the database cannot be used: {e.Message}", e);
        }
    }

    public Account? Find(int id)
    {
        using DbConnection connection = Open();
        return connection.QuerySingleOrDefault<Account>(BankSql.Find, new { id });
    }

    public async Task<Account?> FindAsync(int id, CancellationToken cancellationToken = default)
    {
        await using DbConnection connection = await OpenAsync(cancellationToken);
        return await connection.QuerySingleOrDefaultAsync<Account>(new CommandDefinition(BankSql.Find, new { id }, cancellationToken: cancellationToken));
    }

    public virtual TransferOutcome Transfer(TransferRequest request)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                return TransferOnce(request);
            }
            catch (DbException e) when (IsConflict(e))
            {
                ThrowAtLimit(attempt, e);
            }
        }
    }

    public virtual async Task<TransferOutcome> TransferAsync(TransferRequest request, CancellationToken cancellationToken = default)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                return await TransferOnceAsync(request, cancellationToken);
            }
            catch (DbException e) when (IsConflict(e))
            {
                ThrowAtLimit(attempt, e);
            }
        }
    }

    public BankTotal GetTotal()
    {
        using DbConnection connection = Open();
        return connection.QuerySingle<BankTotal>(BankSql.Total);
    }

    /// <summary>Creates what is missing of the bank's tables and accounts.</summary>
    protected abstract void CreateTables();

    /// <summary>The setting that says which database this is.</summary>
    protected abstract string Setting { get; }

    protected abstract DbConnection Open();

    protected abstract Task<DbConnection> OpenAsync(CancellationToken cancellationToken);

    /// <summary>What <see cref="BankSql.FindBoth"/> needs at its end so that the rows stay as they were read.</summary>
    protected abstract string LockRows { get; }

    /// <summary>
    /// True when the database has refused a transaction because of another one and says that all of it was rolled back: only then is a second attempt safe.
    /// A connection lost during commit is not: the money may have moved.
    /// </summary>
    protected abstract bool IsConflict(DbException exception);

    /// <summary>Attempts after which a conflict is reported instead of tried again.</summary>
    protected virtual int Attempts => MaxAttempts;

    // Leaving without Commit rolls back.
    private TransferOutcome TransferOnce(TransferRequest request)
    {
        using DbConnection connection = Open();
        using DbTransaction transaction = connection.BeginTransaction();
        TransferOutcome outcome = Judge(request, [.. connection.Query<Account>(BankSql.FindBoth + LockRows, request, transaction)]);
        if (outcome.Receipt is not null)
        {
            connection.Execute(BankSql.Move, request, transaction);
            connection.Execute(BankSql.Record, request, transaction);
            transaction.Commit();
        }

        return outcome;
    }

    private async Task<TransferOutcome> TransferOnceAsync(TransferRequest request, CancellationToken cancellationToken)
    {
        await using DbConnection connection = await OpenAsync(cancellationToken);
        await using DbTransaction transaction = await connection.BeginTransactionAsync(cancellationToken);
        CommandDefinition find = new(BankSql.FindBoth + LockRows, request, transaction, cancellationToken: cancellationToken);
        TransferOutcome outcome = Judge(request, [.. await connection.QueryAsync<Account>(find)]);
        if (outcome.Receipt is not null)
        {
            await connection.ExecuteAsync(new CommandDefinition(BankSql.Move, request, transaction, cancellationToken: cancellationToken));
            await connection.ExecuteAsync(new CommandDefinition(BankSql.Record, request, transaction, cancellationToken: cancellationToken));

            // From here a client that goes away must not leave it open whether the money moved.
            await transaction.CommitAsync(CancellationToken.None);
        }

        return outcome;
    }

    private static TransferOutcome Judge(TransferRequest request, Account[] accounts)
    {
        Account? from = Array.Find(accounts, a => a.Id == request.From);
        Account? to = Array.Find(accounts, a => a.Id == request.To);
        if (from is null || to is null)
        {
            return TransferOutcome.NoSuchAccount(from is null ? request.From : request.To);
        }

        return from.Balance < request.Amount
            ? TransferOutcome.InsufficientBalance
            : TransferOutcome.Done(new TransferReceipt
            {
                From = from.Id,
                To = to.Id,
                Amount = request.Amount,
                FromBalance = from.Balance - request.Amount,
                ToBalance = to.Balance + request.Amount,
            });
    }

    private void ThrowAtLimit(int attempt, DbException exception)
    {
        if (attempt >= Attempts)
        {
            throw new BankBusyException(exception);
        }
    }
}
