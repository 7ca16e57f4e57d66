using System.Collections.Concurrent;
using System.Data;
using System.Data.Common;

namespace AdaptivePool.Tests.Data.Fakes;

/// <summary>A provider without a server, that fails where it is told to.</summary>
internal sealed class FakeDataSource : DbDataSource
{
    public override string ConnectionString => "fake";

    /// <summary>What the provider did, in order.</summary>
    public List<string> Calls { get; } = [];

    /// <summary>The call that throws.</summary>
    public string? Fails { get; set; }

    /// <summary>Whether a commit or rollback that throws ends the transaction all the same.</summary>
    public bool FailureEnds { get; set; }

    /// <summary>Whether its connections tell nobody of their state, as those of some providers.</summary>
    public bool IsSilent { get; init; }

    /// <summary>Whether disposing a connection throws.</summary>
    public bool DisposeFails { get; set; }

    /// <summary>The readers it made.</summary>
    public List<FakeReader> Readers { get; } = [];

    /// <summary>How its readers were ended.</summary>
    public List<string> ReaderEnds { get; } = [];

    /// <summary>The commands it made.</summary>
    public List<FakeCommand> Commands { get; } = [];

    /// <summary>Of each connection that was disposed, whether asynchronously.</summary>
    public List<bool> Disposals { get; } = [];

    /// <summary>Of each stream of a column that was disposed, whether asynchronously.</summary>
    public List<bool> ColumnDisposals { get; } = [];

    /// <summary>Called while a statement runs.</summary>
    public Action? Executing { get; set; }

    /// <summary>Called in each call, and for each row.</summary>
    public Action<string>? Noted { get; set; }

    /// <summary>Called while a transaction begins.</summary>
    public Action? Beginning { get; set; }

    /// <summary>Whether a command that is given a connection keeps its transaction.</summary>
    public bool KeepsTransactions { get; init; }

    /// <summary>Whether its objects keep the rules of ADO.NET, and its sessions have rows and settings. Where a gated object may say something itself, they
    /// say the same.</summary>
    public bool IsStrict { get; init; }

    /// <summary>Whether a strict command must have the transaction of its connection.</summary>
    public bool DemandsTransactions { get; init; }

    /// <summary>Whether a strict command is born with the transaction of its connection.</summary>
    public bool GivesTransactions { get; init; }

    /// <summary>Whether a strict transaction that has ended still names its connection.</summary>
    public bool EndedHaveConnections { get; init; }

    /// <summary>The state of a strict connection that has broken.</summary>
    public ConnectionState StateWhenBroken { get; init; } = ConnectionState.Closed;

    /// <summary>Those of strict connections that are open.</summary>
    public ConcurrentDictionary<FakeSession, bool> Sessions { get; } = [];

    /// <summary>What strict sessions have committed.</summary>
    public FakeRows Rows { get; } = new();

    public void Note(string call)
    {
        lock (Calls)
        {
            Calls.Add(call);
        }

        Noted?.Invoke(call);
        if (call == Fails)
        {
            throw new InvalidOperationException($"{call} failed");
        }
    }

    protected override DbConnection CreateDbConnection() => Fails == "create" ? throw new InvalidOperationException("create failed") : new FakeConnection(this);
}
