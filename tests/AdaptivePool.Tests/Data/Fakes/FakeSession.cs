using System.Data;
using System.Globalization;
using System.Transactions;

namespace AdaptivePool.Tests.Data.Fakes;

/// <summary>
/// What a server knows of a strict connection from its opening to its end: one transaction at a time, one open reader, a setting, and rows that are not
/// committed yet. It understands a little SQL, which PostgreSQL understands too.
/// </summary>
internal sealed class FakeSession(FakeConnection connection) : IEnlistmentNotification
{
    private readonly List<int> _written = [];
    private readonly Dictionary<string, int> _marks = [];
    private string _setting = "";
    private bool _isBegunByText;
    private bool _isEnlisted;
    private volatile TaskCompletionSource? _sleep;

    /// <summary>That which has begun here and is still open.</summary>
    public FakeTransaction? Transaction { get; private set; }

    public FakeReader? Reader { get; set; }

    /// <summary>That which was open when it broke, until its connection is closed.</summary>
    public FakeTransaction? Broken { get; set; }

    /// <summary>Whether nothing of a user is left in it.</summary>
    public bool IsFresh => !IsInside && Reader is not { IsClosed: false } && _setting.Length == 0;

    private bool IsInside => Transaction is not null || _isBegunByText || _isEnlisted;

    public void ThrowIfReading()
    {
        if (Reader is { IsClosed: false })
        {
            throw new InvalidOperationException("A command is already in progress.");
        }
    }

    /// <summary>For who begins a transaction.</summary>
    public void ThrowIfBusy()
    {
        ThrowIfReading();
        if (IsInside)
        {
            throw new InvalidOperationException("A transaction is already in progress.");
        }
    }

    public void Begin(FakeTransaction transaction) => Transaction = transaction;

    public void Enlist(Transaction? transaction)
    {
        if (transaction is not null)
        {
            ThrowIfBusy();
            transaction.EnlistVolatile(this, EnlistmentOptions.None);
            _isEnlisted = true;
        }
    }

    /// <summary>Ends the present transaction, of whatever kind.</summary>
    public void EndTransaction(bool isCommit)
    {
        if (isCommit)
        {
            connection.Source.Rows.Add(_written);
        }

        _written.Clear();
        _marks.Clear();
        (Transaction, _isBegunByText, _isEnlisted) = (null, false, false);
    }

    public void Mark(string name) => _marks[name] = _written.Count;

    public void Forget(string name)
    {
        if (!_marks.Remove(name))
        {
            throw new InvalidOperationException($"There is no savepoint {name}.");
        }
    }

    public void GoBack(string name)
    {
        int mark = _marks.TryGetValue(name, out int known) ? known : throw new InvalidOperationException($"There is no savepoint {name}.");
        _written.RemoveRange(mark, _written.Count - mark);
    }

    /// <summary>The connection is closed, or has broken. What is enlisted goes on without it.</summary>
    public void End()
    {
        connection.Source.Sessions.TryRemove(this, out _);
        Reader?.Break();
        if (!_isEnlisted)
        {
            EndTransaction(isCommit: false);
        }
    }

    /// <summary>Unless that has ended already.</summary>
    public void CloseConnection()
    {
        if (ReferenceEquals(connection.Session, this))
        {
            connection.Close();
        }
    }

    /// <summary>Ends the statement that sleeps, if one does.</summary>
    public void Cancel() => _sleep?.TrySetResult();

    /// <summary>Runs statements. Outside a transaction all of them are one.</summary>
    /// <returns>The rows of those that have some, and how many all have written; -1 where none writes.</returns>
    public (IReadOnlyList<DataTable> Results, int Affected) Run(string text)
    {
        List<DataTable> results = [];
        int affected = -1;
        try
        {
            foreach (string statement in text.Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
            {
                if (statement.StartsWith("INSERT", StringComparison.Ordinal))
                {
                    _written.AddRange(NumbersIn(statement));
                    affected = Math.Max(affected, 0) + 1;
                }
                else if (Rows(statement) is { } rows)
                {
                    results.Add(rows);
                }
            }
        }
        catch when (!IsInside)
        {
            _written.Clear();
            throw;
        }

        if (!IsInside)
        {
            EndTransaction(isCommit: true);
        }

        return (results, affected);
    }

    public void Prepare(PreparingEnlistment preparingEnlistment) => preparingEnlistment.Prepared();

    public void Commit(Enlistment enlistment)
    {
        EndTransaction(isCommit: true);
        enlistment.Done();
    }

    public void Rollback(Enlistment enlistment)
    {
        EndTransaction(isCommit: false);
        enlistment.Done();
    }

    public void InDoubt(Enlistment enlistment) => Rollback(enlistment);

    private static int[] NumbersIn(string statement) =>
        [.. statement.Split([' ', '(', ')', ','], StringSplitOptions.RemoveEmptyEntries).Where(static word => char.IsAsciiDigit(word[0]))
            .Select(static word => int.Parse(word, CultureInfo.InvariantCulture))];

    private static DataTable Table<T>(IEnumerable<T> values)
    {
        var table = new DataTable();
        table.Columns.Add("value", typeof(T));
        foreach (T value in values)
        {
            table.Rows.Add(value);
        }

        return table;
    }

    /// <summary>What a statement gives that writes nothing; <see langword="null"/> where that is no rows.</summary>
    private DataTable? Rows(string statement)
    {
        switch (statement)
        {
            case "BEGIN":
                _isBegunByText = true;
                return null;
            case "COMMIT" or "ROLLBACK":
                EndTransaction(statement == "COMMIT");
                return null;
            case "RESET ALL":
                _setting = "";
                return null;
            case "SHOW app.x":
                return Table([_setting]);
            case "SELECT id FROM t ORDER BY id":
                return Table(connection.Source.Rows.Read().Concat(_written).Order());
            case "SELECT pg_sleep(60)":
                Sleep();
                return null;
            case "SELECT pg_terminate_backend(pg_backend_pid())":
                connection.Break();
                throw new InvalidOperationException("The server has gone.");
        }

        if (statement.StartsWith("SET app.x = ", StringComparison.Ordinal))
        {
            _setting = statement[^2..^1];
            return null;
        }

        if (statement.Contains("nowhere", StringComparison.Ordinal))
        {
            throw new InvalidOperationException("There is no such table.");
        }

        int[] numbers = NumbersIn(statement);
        return Table(statement.Contains("generate_series", StringComparison.Ordinal) ? Enumerable.Range(numbers[0], numbers[1]) : numbers);
    }

    private void Sleep()
    {
        var sleep = new TaskCompletionSource();
        _sleep = sleep;
        sleep.Task.Wait(Eventually.Patience).ShouldBeTrue("somebody cancels it");
        _sleep = null;
        throw new OperationCanceledException("The statement was cancelled.");
    }
}
