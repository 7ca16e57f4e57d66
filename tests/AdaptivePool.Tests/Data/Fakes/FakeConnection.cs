using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Tests.Data.Fakes;

internal sealed class FakeConnection(FakeDataSource source) : DbConnection
{
    private ConnectionState _state = ConnectionState.Closed;

    [AllowNull]
    public override string ConnectionString { get; set; } = "fake";

    public override string Database => "fake";

    public override string DataSource => "fake";

    public override string ServerVersion => "1.0";

    public override ConnectionState State => _state;

    public FakeDataSource Source => source;

    /// <summary>What opening asynchronously waits for; null for nothing.</summary>
    public Func<Task>? Opening { get; init; }

    public override async Task OpenAsync(CancellationToken cancellationToken)
    {
        await (Opening?.Invoke() ?? Task.CompletedTask);
        Open();
    }

    public override void Open()
    {
        source.Note("open");
        Enter(ConnectionState.Open);
    }

    public override void Close()
    {
        if (_state != ConnectionState.Closed)
        {
            source.Note("close");
            Enter(ConnectionState.Closed);
        }
    }

    public override void ChangeDatabase(string databaseName) => source.Note("change");

    /// <summary>What a provider does when the server goes away.</summary>
    public void Break() => Enter(ConnectionState.Closed);

    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel)
    {
        source.Note("begin");
        source.Beginning?.Invoke();
        return new FakeTransaction(this, isolationLevel);
    }

    protected override DbCommand CreateDbCommand()
    {
        var command = new FakeCommand(this);
        source.Commands.Add(command);
        return command;
    }

    public override ValueTask DisposeAsync()
    {
        DisposeAs(isAsync: true);
        return ValueTask.CompletedTask;
    }

    protected override void Dispose(bool disposing) => DisposeAs(isAsync: false, disposing);

    private void DisposeAs(bool isAsync, bool disposing = true)
    {
        if (disposing)
        {
            source.Disposals.Add(isAsync);
        }

        Close();
        base.Dispose(disposing);
        if (disposing && source.DisposeFails)
        {
            throw new InvalidOperationException("dispose of the connection failed");
        }
    }

    private void Enter(ConnectionState state)
    {
        var change = new StateChangeEventArgs(_state, state);
        _state = state;
        if (!source.IsSilent)
        {
            OnStateChange(change);
        }
    }
}
