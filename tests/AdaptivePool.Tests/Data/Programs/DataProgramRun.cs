using System.Data;
using System.Data.Common;
using System.Globalization;

namespace AdaptivePool.Tests.Data.Programs;

/// <summary>Runs a program on a data source, and notes what an application sees.</summary>
internal sealed partial class DataProgramRun(DbDataSource source, DataProgramSettings settings)
{
    private readonly DbConnection?[] _connections = new DbConnection?[settings.Connections];
    private readonly DbTransaction?[] _transactions = new DbTransaction?[settings.Connections];
    private readonly DbCommand?[] _commands = new DbCommand?[3];
    private readonly DbDataReader?[] _readers = new DbDataReader?[2];
    private readonly HashSet<DbCommand> _disposed = [];
    private readonly List<IDisposable> _left = [];
    private readonly List<string> _said = [];

    /// <summary>Runs the steps, and disposes what they leave.</summary>
    public async Task<List<DataNote>> RunAsync(IEnumerable<DataStep> steps)
    {
        List<DataNote> notes = [];
        foreach (DataStep step in steps)
        {
            settings.Fail(step.Fails ? FailingCall(step) : null);
            try
            {
                await RunAsync(step);
            }
            finally
            {
                settings.Fail(null);
            }

            SayStates();
            notes.Add(Take(step.ToString()));
        }

        foreach (IDisposable each in ((IDisposable?[])[.. _readers, .. _left, .. _commands, .. _connections, .. _transactions]).OfType<IDisposable>())
        {
            Do(each.Dispose);
        }

        notes.Add(Take("end"));
        return notes;
    }

    private static string FailingCall(DataStep step) => step.Action switch
    {
        DataAction.Begin => "begin",
        DataAction.Commit => "commit",
        DataAction.RollBack => "rollback",
        DataAction.DisposeTransaction => "dispose",
        DataAction.Savepoint => (step.Choice % 3) switch { 0 => "save", 1 => "rollback", _ => "release" },
        DataAction.Prepare => "prepare",
        DataAction.Row => "row",
        DataAction.NextResult => "result",
        DataAction.ChangeDatabase => "change",
        DataAction.Schema => "schema",
        _ => "execute",
    };

    private static Task Done(Action call)
    {
        call();
        return Task.CompletedTask;
    }

    private static async Task<object?> AsObject<T>(Task<T> task) => await task;

    private static CancellationToken Token(DataStep step, bool mayBeCancelled) => new(step.IsCancelled && mayBeCancelled);

    private Task RunAsync(DataStep step)
    {
        int slot = step.Slot % _connections.Length;
        return step.Action switch
        {
            DataAction.Create => CreateAsync(slot, step),
            DataAction.Open => With(_connections[slot], c => step.IsAsync ? c.OpenAsync(Token(step, !settings.ReusesObjects)) : Done(c.Open)),
            DataAction.Close => Leave(slot, With(_connections[slot], c => step.IsAsync ? c.CloseAsync() : Done(c.Close))),
            DataAction.Dispose => Leave(slot, With(_connections[slot], c => step.IsAsync ? c.DisposeAsync().AsTask() : Done(c.Dispose)), isDisposed: true),
            DataAction.Look => With(_connections[slot], c => Done(() => Look(c))),
            DataAction.Schema => With(_connections[slot], c => Tell(step.IsAsync ? AsObject(c.GetSchemaAsync()) : AsObject(Task.FromResult(c.GetSchema())))),
            DataAction.ChangeDatabase => With(
                _connections[slot], c => step.IsAsync ? c.ChangeDatabaseAsync("other") : Done(() => c.ChangeDatabase("other"))),
            DataAction.Scope => ScopeAsync(step),
            DataAction.Enlist => With(_connections[slot], c => EnlistAsync(c, step)),
            DataAction.Begin or DataAction.Commit or DataAction.RollBack or DataAction.DisposeTransaction or DataAction.Savepoint => TransactAsync(slot, step),
            DataAction.Row or DataAction.NextResult or DataAction.LookAtRows or DataAction.CloseReader or DataAction.DisposeReader => ReadAsync(step),
            _ => ExecuteAsync(slot, step),
        };
    }

    private async Task CreateAsync(int slot, DataStep step)
    {
        if (_connections[slot] is { } before)
        {
            Do(before.Dispose);
            await Leave(slot, Task.CompletedTask);
        }

        DbConnection created = source.CreateConnection();
        _connections[slot] = created;
        if (!settings.ReusesObjects)
        {
            created.Disposed += (sender, _) => Say($"{Name(sender)} disposed {created.State}");
        }

        if (settings.HasEvents)
        {
            created.StateChange += (sender, change) =>
                Say($"{Name(sender)} {Name(created)} {change.OriginalState} to {change.CurrentState}, it is {created.State}");
            if (step.Choice % 4 == 0)
            {
                created.StateChange += (_, change) => Follow(created, change.CurrentState);
            }
        }
    }

    /// <summary>What applications do when they hear of a state.</summary>
    private void Follow(DbConnection connection, ConnectionState state)
    {
        if (state == ConnectionState.Open)
        {
            using DbCommand command = connection.CreateCommand();
            command.CommandText = "SET app.x = '8'";
            Try(() => command.ExecuteNonQuery());
        }
        else if (state == ConnectionState.Broken)
        {
            Do(connection.Close);
        }
    }

    /// <summary>A connection has ended; what was open on it must be let go of where the provider gives it to others.</summary>
    private async Task Leave(int slot, Task call, bool isDisposed = false)
    {
        await call;
        if (settings.ReusesObjects)
        {
            _connections[slot] = isDisposed ? null : _connections[slot];
            _transactions[slot] = null;
            _readers.AsSpan().Clear();
        }
    }

    private void Look(DbConnection connection)
    {
        Say(connection.State);
        Try(() => connection.Database);
        Try(() => connection.DataSource);
        Try(() => connection.ConnectionTimeout);
        Try(() => connection.ConnectionString);
        Try(() => connection.ServerVersion);
        Try(() => connection.CanCreateBatch);
    }

    /// <summary>What begins and ends inside a scope.</summary>
    private async Task ScopeAsync(DataStep step) => await DoAsync(async () =>
    {
        await using DbConnection connection = source.CreateConnection();
        using (var scope = new System.Transactions.TransactionScope(System.Transactions.TransactionScopeAsyncFlowOption.Enabled))
        {
            await (step.IsAsync ? connection.OpenAsync() : Done(connection.Open));
            await using DbCommand command = connection.CreateCommand();
            command.CommandText = "INSERT INTO t VALUES (6)";
            Try(() => command.ExecuteNonQuery());
            if (step.Choice % 3 == 0)
            {
                Do(() => connection.BeginTransaction().Dispose());
            }

            if (step.Choice % 5 < 2)
            {
                Do(connection.Close);
            }

            if (step.Choice % 2 == 0)
            {
                scope.Complete();
            }
        }

        Say(connection.State);
        if (connection.State == ConnectionState.Open)
        {
            await using DbTransaction next = await connection.BeginTransactionAsync();
            await next.CommitAsync();
        }
    });

    private async Task EnlistAsync(DbConnection connection, DataStep step)
    {
        using var transaction = new System.Transactions.CommittableTransaction();
        Do(() => connection.EnlistTransaction(transaction));
        await using DbCommand command = connection.CreateCommand();
        command.CommandText = "INSERT INTO t VALUES (7)";
        Try(() => command.ExecuteNonQuery());
        if (step.Choice % 4 == 0)
        {
            Do(connection.Close);
        }

        Do(step.Choice % 2 == 0 ? transaction.Commit : transaction.Rollback);
    }

    private void SayStates()
    {
        for (int i = 0; i < _connections.Length; i++)
        {
            if (_connections[i] is { } connection)
            {
                Try(() => $"| c{i} {connection.State} {connection.Database}");
            }

            if (_transactions[i] is { } transaction && !settings.ReusesObjects)
            {
                Try(() => $"| t{i} of {Name(transaction.Connection)}");
            }
        }

        for (int i = 0; i < _commands.Length; i++)
        {
            if (_commands[i] is { } command && !_disposed.Contains(command))
            {
                // One that has ended means nothing to a command, whoever takes it away.
                Try(() => $"| k{i} of {Name(command.Connection)} in {(settings.ReusesObjects ? "?" : Name(Open(command.Transaction)))}");
            }
        }

        for (int i = 0; i < _readers.Length; i++)
        {
            if (_readers[i] is { } reader)
            {
                Try(() => $"| r{i} {(reader.IsClosed ? "closed" : "open")}");
            }
        }
    }

    private static DbTransaction? Open(DbTransaction? transaction) => transaction is { Connection: not null } ? transaction : null;

    /// <summary>An object by its place in the program.</summary>
    private string Name(object? named) => named is null ? "null"
        : Array.IndexOf(_connections, named) is >= 0 and var connection ? $"c{connection}"
        : Array.IndexOf(_transactions, named) is >= 0 and var transaction ? $"t{transaction}"
        : "other";

    private DataNote Take(string step)
    {
        var note = new DataNote(step, string.Join("; ", _said), settings.TakeCalls());
        _said.Clear();
        return note;
    }

    private void Say(object? value) => _said.Add(value switch
    {
        null => "null",
        DBNull => "DBNull",
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    });

    private async Task Tell(Task<object?> task) => Say(await task);

    /// <summary>Calls an object, if there is one.</summary>
    private Task With<T>(T? called, Func<T, Task> call)
        where T : class => called is null ? Done(() => Say("none")) : DoAsync(() => call(called));

    private async Task DoAsync(Func<Task> call)
    {
        try
        {
            await call();
            Say("done");
        }
        catch (Exception exception)
        {
            Say(settings.Describe(exception));
        }
    }

    private void Try(Func<object?> call)
    {
        try
        {
            Say(call());
        }
        catch (Exception exception)
        {
            Say(settings.Describe(exception));
        }
    }

    private void Do(Action call) => Try(() =>
    {
        call();
        return "done";
    });
}
