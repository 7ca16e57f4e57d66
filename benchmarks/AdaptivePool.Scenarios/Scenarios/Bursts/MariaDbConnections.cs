using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Bursts;

/// <summary>Open connections to a MariaDB server. On each of them goes one statement at a time; a statement that finds none waits for one. Each has a thread
/// that waits for its answers, so that nobody who waits delays another.</summary>
public sealed class MariaDbConnections
{
    private readonly Lock _lock = new();
    private readonly Stack<Connection> _free = [];
    private readonly Queue<(byte[] Command, IThreadPoolWorkItem Item)> _waiting = [];

    /// <summary>Opens the connections.</summary>
    /// <param name="path">The server's socket.</param>
    /// <param name="count">How many.</param>
    public MariaDbConnections(string path, int count)
    {
        for (int i = 0; i < count; i++)
        {
            _free.Push(new Connection(this, new MariaDbConnection(path)));
        }
    }

    /// <summary>A way to send a statement: the item runs when the answer has come.</summary>
    public ComparedClass Send(string statement)
    {
        byte[] command = MariaDbConnection.Command(statement);
        return new ComparedClass(item => Queue(command, item), static _ => throw new NotSupportedException("A statement is no function."));
    }

    private void Queue(byte[] command, IThreadPoolWorkItem item)
    {
        Connection? free;
        lock (_lock)
        {
            if (!_free.TryPop(out free))
            {
                _waiting.Enqueue((command, item));
                return;
            }
        }

        free.Send(command, item);
    }

    private void Return(Connection connection)
    {
        (byte[] Command, IThreadPoolWorkItem Item) next;
        lock (_lock)
        {
            if (!_waiting.TryDequeue(out next))
            {
                _free.Push(connection);
                return;
            }
        }

        connection.Send(next.Command, next.Item);
    }

    private sealed class Connection
    {
        // The default of a thread would be 1.5 MB for each.
        private const int StackBytes = 256 * 1024;

        private readonly MariaDbConnections _owner;
        private readonly MariaDbConnection _connection;
        private volatile IThreadPoolWorkItem? _item;

        public Connection(MariaDbConnections owner, MariaDbConnection connection)
        {
            _owner = owner;
            _connection = connection;
            new Thread(Receive, StackBytes) { IsBackground = true, Name = "answers" }.UnsafeStart();
        }

        public void Send(byte[] command, IThreadPoolWorkItem item)
        {
            _item = item;
            _connection.Send(command);
        }

        private void Receive()
        {
            while (true)
            {
                _connection.ReadAnswer();
                IThreadPoolWorkItem item = _item!;
                item.Execute();
                _owner.Return(this);
            }
        }
    }
}
