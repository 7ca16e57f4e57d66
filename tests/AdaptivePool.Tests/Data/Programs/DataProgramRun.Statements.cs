using System.Data;
using System.Data.Common;

namespace AdaptivePool.Tests.Data.Programs;

/// <content>Commands, batches and readers.</content>
internal sealed partial class DataProgramRun
{
    private Task ExecuteAsync(int slot, DataStep step)
    {
        int place = step.Slot % _commands.Length;
        int other = step.Other % _connections.Length;
        DbCommand? command = _commands[place];

        // Whether a token or the state is looked at first is a provider's own affair.
        bool mayBeCancelled = command?.Connection?.State == ConnectionState.Open && !_disposed.Contains(command);
        switch (step.Action)
        {
            case DataAction.MakeCommand:
                return With(_connections[other], c => Done(() => Make(c, place, _transactions[other], step)));
            case DataAction.SetText:
                return With(command, c => Done(() => c.CommandText = DataProgram.Text(step.Choice)));
            case DataAction.SetTransaction:
                return With(command, c => Done(() => c.Transaction = step.Choice % 4 == 0 ? null : _transactions[other]));
            case DataAction.SetConnection:
                return With(command, c => Done(() => c.Connection = step.Choice % 4 == 0 ? null : _connections[other]));
            case DataAction.NonQuery:
                return With(command, c => Tell(step.IsAsync ? AsObject(c.ExecuteNonQueryAsync(Token(step, mayBeCancelled)))
                    : AsObject(Task.FromResult(c.ExecuteNonQuery()))));
            case DataAction.Scalar:
                return With(command, c => Tell(step.IsAsync ? c.ExecuteScalarAsync(Token(step, mayBeCancelled)) : Task.FromResult(c.ExecuteScalar())));
            case DataAction.Read:
                return With(command, c => KeepAsync(step, step.IsAsync ? c.ExecuteReaderAsync(Behavior(step), Token(step, mayBeCancelled && !Closes(step)))
                    : Task.FromResult(c.ExecuteReader(Behavior(step)))));
            case DataAction.Prepare:
                return With(command, c => step.IsAsync ? c.PrepareAsync(Token(step, mayBeCancelled)) : Done(c.Prepare));
            case DataAction.Cancel:
                return With(command, c => Done(c.Cancel));
            case DataAction.CancelRunning:
                return With(command, c => CancelRunningAsync(c, step, mayBeCancelled));
            case DataAction.DisposeCommand:
                return With(command, c =>
                {
                    _disposed.Add(c);
                    _commands[place] = settings.ReusesObjects ? null : c;
                    return step.IsAsync ? c.DisposeAsync().AsTask() : Done(c.Dispose);
                });
            case DataAction.Batch:
                return With(_connections[slot], c => BatchAsync(c.CreateBatch(), _transactions[slot], step));
            case DataAction.SourceCommand:
                return DoAsync(async () =>
                {
                    await using DbCommand own = source.CreateCommand(DataProgram.Text(step.Choice));
                    await RunAllAsync(step, own.ExecuteNonQuery, own.ExecuteScalarAsync, own.ExecuteReader);
                });
            case DataAction.SourceBatch:
                return DoAsync(async () =>
                {
                    await using DbBatch own = Filled(source.CreateBatch(), step);
                    await RunAllAsync(step, own.ExecuteNonQuery, () => own.ExecuteScalarAsync(), () => own.ExecuteReader());
                });
            default:
                throw new InvalidOperationException($"{step.Action} is no step.");
        }
    }

    /// <summary>Whether a call that is cancelled before it begins closes its connection, is a provider's own affair too.</summary>
    private static bool Closes(DataStep step) => step.Choice % 5 == 0;

    private static CommandBehavior Behavior(DataStep step) => Closes(step) ? CommandBehavior.CloseConnection : CommandBehavior.Default;

    private static DbBatch Filled(DbBatch batch, DataStep step)
    {
        for (int i = 0; i < 1 + (step.Other % 2); i++)
        {
            DbBatchCommand command = batch.CreateBatchCommand();
            command.CommandText = DataProgram.Text(step.Choice + i).Split(';')[0];
            batch.BatchCommands.Add(command);
        }

        return batch;
    }

    private void Make(DbConnection connection, int place, DbTransaction? transaction, DataStep step)
    {
        if (_commands[place] is { } before)
        {
            _left.Add(before);
        }

        DbCommand made = connection.CreateCommand();
        _commands[place] = made;
        made.CommandText = DataProgram.Text(step.Choice);
        if (step.Choice % 2 == 0)
        {
            Do(() => made.Transaction = transaction);
        }
    }

    private async Task KeepAsync(DataStep step, Task<DbDataReader> reading)
    {
        DbDataReader reader = await reading;
        int place = step.Other % _readers.Length;
        if (_readers[place] is { } before && !settings.ReusesObjects)
        {
            _left.Add(before);
        }

        _readers[place] = reader;
        Try(() => reader.FieldCount);
    }

    private async Task BatchAsync(DbBatch batch, DbTransaction? transaction, DataStep step)
    {
        await using (Filled(batch, step))
        {
            if (step.Choice % 2 == 0)
            {
                Do(() => batch.Transaction = transaction);
            }

            Try(() => $"{Name(batch.Connection)} {Name(batch.Transaction)} {batch.Timeout}");
            await RunAllAsync(step, batch.ExecuteNonQuery, () => batch.ExecuteScalarAsync(), () => batch.ExecuteReader(Behavior(step)));
        }
    }

    /// <summary>Runs a statement in one of the ways, to its end.</summary>
    private async Task RunAllAsync(DataStep step, Func<int> nonQuery, Func<Task<object?>> scalar, Func<DbDataReader> read)
    {
        switch (step.Slot % 3)
        {
            case 0:
                Say(nonQuery());
                break;
            case 1:
                Say(await scalar());
                break;
            default:
                await using (DbDataReader reader = read())
                {
                    do
                    {
                        while (step.IsAsync ? await reader.ReadAsync() : reader.Read())
                        {
                            Say(reader.GetValue(0));
                        }
                    }
                    while (await reader.NextResultAsync());
                }

                break;
        }
    }

    private async Task CancelRunningAsync(DbCommand command, DataStep step, bool mayBeCancelled)
    {
        string text = command.CommandText;
        command.CommandText = "SELECT pg_sleep(60)";
        using var cancelled = new CancellationTokenSource();
        Task running = Task.Run(() => step.IsAsync ? command.ExecuteNonQueryAsync(cancelled.Token) : Done(() => command.ExecuteNonQuery()));
        await Task.WhenAny(running, Task.Delay(settings.CancelAfter));
        if (mayBeCancelled && step.IsAsync && step.Choice % 2 == 0 && settings.CancelAfter > TimeSpan.Zero)
        {
            await cancelled.CancelAsync();
        }

        while (!running.IsCompleted)
        {
            command.Cancel();
            await Task.WhenAny(running, Task.Delay(TimeSpan.FromMilliseconds(1)));
        }

        command.CommandText = text;
        await running;
    }

    private Task ReadAsync(DataStep step)
    {
        int place = step.Other % _readers.Length;
        return With(_readers[place], async reader =>
        {
            bool isOpen = !reader.IsClosed;
            switch (step.Action)
            {
                case DataAction.Row:
                    bool isThere = step.IsAsync ? await reader.ReadAsync(Token(step, isOpen)) : reader.Read();
                    Say(isThere ? reader.GetValue(0) : "no row");
                    break;
                case DataAction.NextResult:
                    Say(step.IsAsync ? await reader.NextResultAsync(Token(step, isOpen)) : reader.NextResult());
                    break;
                case DataAction.LookAtRows:
                    Look(reader);
                    break;
                case DataAction.CloseReader:
                    await (step.IsAsync ? reader.CloseAsync() : Done(reader.Close));
                    Say(reader.RecordsAffected);
                    break;
                default:
                    _readers[place] = settings.ReusesObjects ? null : reader;
                    await (step.IsAsync ? reader.DisposeAsync().AsTask() : Done(reader.Dispose));
                    break;
            }
        });
    }

    private void Look(DbDataReader reader)
    {
        Try(() => reader.HasRows);
        Try(() => reader.FieldCount);
        Try(() => reader.VisibleFieldCount);
        Try(() => reader.Depth);
        Try(() => reader.RecordsAffected);
        Try(() => reader.GetName(0));
        Try(() => reader.GetFieldType(0));
        Try(() => reader.GetValue(0));
        Try(() => reader.IsDBNull(0));
        Try(() => reader.GetOrdinal("value"));
        Try(() => reader.GetSchemaTable()?.Rows.Count);
    }
}
