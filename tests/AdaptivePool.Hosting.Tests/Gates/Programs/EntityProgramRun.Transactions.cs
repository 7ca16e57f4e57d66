using System.Data.Common;
using System.Transactions;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Storage;
using IsolationLevel = System.Data.IsolationLevel;

namespace AdaptivePool.Hosting.Tests.Gates.Programs;

/// <content>Transactions.</content>
internal sealed partial class EntityProgramRun
{
    // Serializable, which is the default, makes one of two transactions fail that run at once, although each has rows of its own.
    private static readonly TransactionOptions s_options = new() { IsolationLevel = System.Transactions.IsolationLevel.ReadCommitted };

    private Task TransactAsync(ProgramContext context, int slot, EntityStep step)
    {
        CancellationToken token = Token(step, context);
        DatabaseFacade database = context.Database;
        IDbContextTransaction? transaction = _transactions[slot];

        // Npgsql may have given the object of one that is disposed to another connection.
        IDbContextTransaction? current = ReferenceEquals(transaction, database.CurrentTransaction) ? transaction : null;
        bool isFacade = step.Choice % 2 == 0 || current is null;
        return (step.Action, isFacade, step.IsAsync) switch
        {
            (EntityAction.Begin, _, _) => BeginAsync(context, slot, step, token),
            (EntityAction.Commit, true, true) => database.CommitTransactionAsync(token),
            (EntityAction.Commit, true, false) => Done(database.CommitTransaction),
            (EntityAction.Commit, false, true) => current!.CommitAsync(token),
            (EntityAction.Commit, false, false) => Done(current!.Commit),
            (EntityAction.RollBack, true, true) => database.RollbackTransactionAsync(token),
            (EntityAction.RollBack, true, false) => Done(database.RollbackTransaction),
            (EntityAction.RollBack, false, true) => current!.RollbackAsync(token),
            (EntityAction.RollBack, false, false) => Done(current!.Rollback),
            (EntityAction.DisposeTransaction, _, true) when transaction is not null => transaction.DisposeAsync().AsTask(),
            (EntityAction.DisposeTransaction, _, _) => Done(() => transaction?.Dispose()),
            _ => current is null ? Task.CompletedTask : MarkAsync(current, step, token),
        };
    }

    private async Task ShareAsync(ProgramContext context, int slot, int given, EntityStep step)
    {
        DbTransaction? used = (step.Choice % 4) switch
        {
            0 => null,
            1 => context.Database.CurrentTransaction?.GetDbTransaction(),
            2 => _outside[given],
            _ => _contexts[step.Other % _contexts.Length]?.Database.CurrentTransaction?.GetDbTransaction(),
        };
        _lost += used is null && context.Database.CurrentTransaction is not null ? 1 : 0;
        if ((step.IsAsync ? await context.Database.UseTransactionAsync(used, Token(step, context)) : context.Database.UseTransaction(used)) is { } sharing)
        {
            Keep(_transactions, slot, sharing);
        }
    }

    private async Task BeginAsync(ProgramContext context, int slot, EntityStep step, CancellationToken token)
    {
        bool wasOpen = IsOpen(context.Database);
        try
        {
            IsolationLevel level = step.Choice % 3 == 0 ? IsolationLevel.RepeatableRead : IsolationLevel.Unspecified;

            // Inside another one the provider refuses before it looks at the token, and the gate looks at it first.
            CancellationToken looked = bench.Given.Contains(context.Database.GetDbConnection()) ? CancellationToken.None : token;
            IDbContextTransaction begun = step.IsAsync ? await context.Database.BeginTransactionAsync(level, looked) : context.Database.BeginTransaction(level);
            Keep(_transactions, slot, begun);
            _begun[slot] = begun;
        }
        catch when (!wasOpen)
        {
            await CloseAsync(context, step);
            throw;
        }
    }

    /// <summary>
    /// After a begin that failed the framework leaves the connection open that it opened for it, once for each attempt. The gate does not.
    /// </summary>
    private async Task CloseAsync(ProgramContext context, EntityStep step)
    {
        const int MostAttempts = 8;
        bench.FailNoMore();
        for (int i = 0; i < MostAttempts && IsOpen(context.Database); i++)
        {
            await (step.IsAsync ? context.Database.CloseConnectionAsync() : Done(context.Database.CloseConnection));
        }
    }

    private static Task MarkAsync(IDbContextTransaction transaction, EntityStep step, CancellationToken token)
    {
        string name = $"s{step.Other % 2}";
        return (step.Choice % 3, step.IsAsync) switch
        {
            (0, true) => transaction.CreateSavepointAsync(name, token),
            (0, false) => Done(() => transaction.CreateSavepoint(name)),
            (1, true) => transaction.RollbackToSavepointAsync(name, token),
            (1, false) => Done(() => transaction.RollbackToSavepoint(name)),
            (_, true) => transaction.ReleaseSavepointAsync(name, token),
            (_, false) => Done(() => transaction.ReleaseSavepoint(name)),
        };
    }

    /// <summary>What runs as often as it must, with a transaction of its own for each attempt.</summary>
    private async Task StrategyAsync(ProgramContext context, int owner, EntityStep step)
    {
        int id = NextId(owner);
        bool wasOpen = IsOpen(context.Database);
        IExecutionStrategy strategy = context.Database.CreateExecutionStrategy();
        try
        {
            await (step.Choice % 3 == 0 ? strategy.ExecuteInTransactionAsync(WorkAsync, () => Task.FromResult(step.Other % 2 == 0))
                : strategy.ExecuteAsync(async () =>
                {
                    await using IDbContextTransaction transaction = await context.Database.BeginTransactionAsync();
                    await WorkAsync();
                    await transaction.CommitAsync();
                }));
        }
        catch when (!wasOpen)
        {
            await CloseAsync(context, step);
            throw;
        }

        async Task WorkAsync()
        {
            Say(await context.Rows.Where(row => row.Owner == owner).CountAsync());
            await context.Database.ExecuteSqlRawAsync(EntityProgram.Sql(0, owner));
            if (step.Choice % 2 == 0)
            {
                context.ChangeTracker.Clear();
                context.Add(new ProgramRow { Id = id, Owner = owner });
                await context.SaveChangesAsync();
            }

            if (step.Choice % 5 == 0)
            {
                await context.Database.ExecuteSqlRawAsync(EntityProgram.Sql(step.Other, owner));
            }
        }
    }

    /// <summary>What begins and ends inside a scope.</summary>
    private async Task ScopeAsync(EntityStep step)
    {
        await using ProgramContext context = bench.Create();
        using var scope = new TransactionScope(TransactionScopeOption.Required, s_options, TransactionScopeAsyncFlowOption.Enabled);
        await UseAsync(context, step);
        if (step.Choice % 2 == 0)
        {
            scope.Complete();
        }
    }

    private async Task EnlistAsync(EntityStep step)
    {
        await using ProgramContext context = bench.Create();
        using var transaction = new CommittableTransaction(s_options);
        await context.Database.OpenConnectionAsync();
        context.Database.EnlistTransaction(transaction);
        await UseAsync(context, step);
        if (step.Choice % 4 == 1)
        {
            await context.Database.CloseConnectionAsync();
        }

        (step.Choice % 2 == 0 ? transaction.Commit : (Action)transaction.Rollback)();
    }

    private async Task UseAsync(ProgramContext context, EntityStep step)
    {
        int owner = bench.FirstOwner + EntityProgramBench.Owners - 1;
        context.Add(new ProgramRow { Id = NextId(owner), Owner = owner });
        await DoAsync(() => step.IsAsync ? context.SaveChangesAsync() : Done(() => context.SaveChanges()));
        await DoAsync(async () => Say(await context.Rows.Where(row => row.Owner == owner)
            .ExecuteUpdateAsync(static set => set.SetProperty(static row => row.Value, static row => row.Value + 1))));
        if (step.Choice % 3 == 0)
        {
            await DoAsync(async () => await (await context.Database.BeginTransactionAsync()).DisposeAsync());
        }
    }
}
