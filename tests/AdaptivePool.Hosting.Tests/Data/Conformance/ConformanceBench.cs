using System.Collections;
using System.Data.Common;
using System.Globalization;
using AdaptivePool.Hosting.Tests.Apps;

namespace AdaptivePool.Hosting.Tests.Data.Conformance;

/// <summary>What a case runs on, and what it notes down. The table t has the rows (1, 'one'), (2, 'two') and (3, null).</summary>
internal sealed class ConformanceBench(DbDataSource source)
{
    private readonly List<string> _notes = [];

    public DbDataSource Source => source;

    public string Notes => string.Join("; ", _notes);

    public void Note(object? value) => _notes.Add(value switch
    {
        null => "null",
        DBNull => "DBNull",
        string text => text,
        IEnumerable values => string.Join(",", values.Cast<object?>()),
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    });

    /// <summary>Notes what a call gives, or what it throws.</summary>
    public void Try(Func<object?> call)
    {
        try
        {
            Note(call());
        }
        catch (Exception exception)
        {
            Note(exception.GetType().Name);
        }
    }

    public void Do(Action call) => Try(() =>
    {
        call();
        return "done";
    });

    public async Task TryAsync<T>(Func<Task<T>> call)
    {
        try
        {
            Note(await call().WaitAsync(TestApp.Patience));
        }
        catch (Exception exception)
        {
            // Which of the two a cancelled call throws is a matter of when it was cancelled.
            Note(exception is OperationCanceledException ? nameof(OperationCanceledException) : exception.GetType().Name);
        }
    }

    public Task DoAsync(Func<Task> call) => TryAsync(async () =>
    {
        await call();
        return "done";
    });

    public DbCommand Command(DbConnection connection, string sql, params (string Name, object Value)[] parameters)
    {
        DbCommand command = connection.CreateCommand();
        command.CommandText = sql;
        foreach ((string name, object value) in parameters)
        {
            DbParameter parameter = command.CreateParameter();
            parameter.ParameterName = name;
            parameter.Value = value;
            command.Parameters.Add(parameter);
        }

        return command;
    }

    public object? Scalar(string sql)
    {
        using DbConnection connection = source.OpenConnection();
        using DbCommand command = Command(connection, sql);
        return command.ExecuteScalar();
    }
}
