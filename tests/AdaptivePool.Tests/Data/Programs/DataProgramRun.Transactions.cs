using System.Data;
using System.Data.Common;

namespace AdaptivePool.Tests.Data.Programs;

/// <content>Transactions.</content>
internal sealed partial class DataProgramRun
{
    private Task TransactAsync(int slot, DataStep step)
    {
        if (step.Action == DataAction.Begin)
        {
            return With(_connections[slot], c => BeginAsync(c, slot, step));
        }

        return With(_transactions[slot], async transaction =>
        {
            CancellationToken token = Token(step, !settings.ReusesObjects && transaction.Connection is not null);
            string name = $"s{step.Other % 2}";
            switch (step.Action)
            {
                case DataAction.Commit:
                    await (step.IsAsync ? transaction.CommitAsync(token) : Done(transaction.Commit));
                    Over(slot);
                    break;
                case DataAction.RollBack:
                    await (step.IsAsync ? transaction.RollbackAsync(token) : Done(transaction.Rollback));
                    Over(slot);
                    break;
                case DataAction.DisposeTransaction:
                    await (step.IsAsync ? transaction.DisposeAsync().AsTask() : Done(transaction.Dispose));
                    Over(slot);
                    break;
                default:
                    await ((step.Choice % 3, step.IsAsync) switch
                    {
                        (0, true) => transaction.SaveAsync(name, token),
                        (0, false) => Done(() => transaction.Save(name)),
                        (1, true) => transaction.RollbackAsync(name, token),
                        (1, false) => Done(() => transaction.Rollback(name)),
                        (_, true) => transaction.ReleaseAsync(name, token),
                        (_, false) => Done(() => transaction.Release(name)),
                    });
                    Try(() => transaction.IsolationLevel);
                    break;
            }
        });
    }

    private async Task BeginAsync(DbConnection connection, int slot, DataStep step)
    {
        IsolationLevel level = step.Choice % 2 == 0 ? IsolationLevel.ReadCommitted : IsolationLevel.Serializable;
        CancellationToken token = Token(step, !settings.ReusesObjects && connection.State == ConnectionState.Open);
        DbTransaction begun = step.IsAsync ? await connection.BeginTransactionAsync(level, token) : connection.BeginTransaction(level);
        if (_transactions[slot] is { } before && !settings.ReusesObjects)
        {
            _left.Add(before);
        }

        _transactions[slot] = begun;
        Say(begun.IsolationLevel);
        Say(begun.SupportsSavepoints);
        Say(Name(begun.Connection));
    }

    /// <summary>It has ended, and may be another one's object.</summary>
    private void Over(int slot) => _transactions[slot] = settings.ReusesObjects ? null : _transactions[slot];
}
