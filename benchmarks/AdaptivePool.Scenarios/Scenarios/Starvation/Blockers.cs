using System.Net;
using System.Net.Sockets;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Starvation;

/// <summary>Items that block in four ways, a quarter each: Thread.Sleep, a read from a socket, a lock, Task.Wait. All are let go together.</summary>
public sealed class Blockers : IDisposable
{
    private static readonly TimeSpan s_sleepStep = TimeSpan.FromMilliseconds(100);
    private readonly int _count;
    private readonly CountdownEvent _remaining;
    private readonly Lock _held = new();
    private readonly TaskCompletionSource _release = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<(Socket Reader, Socket Writer)> _sockets = [];
    private int _released;

    /// <summary>Prepares the items. The calling thread holds their lock until <see cref="Release"/>, which it must call itself.</summary>
    public Blockers(int count)
    {
        _count = count;
        _remaining = new CountdownEvent(count);
        _held.Enter();
        using Socket listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(1);
        for (int i = 1; i < count; i += 4)
        {
            Socket writer = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            writer.Connect(listener.LocalEndPoint!);
            _sockets.Add((listener.Accept(), writer));
        }
    }

    /// <summary>Queues them all, evenly over a time.</summary>
    public void QueueAll(ComparedPool pool, TimeSpan over)
    {
        for (int i = 0; i < _count; i++)
        {
            pool.Queue(new Blocker(this, i), preferLocal: false);
            if (over > TimeSpan.Zero)
            {
                Thread.Sleep(over / _count);
            }
        }
    }

    /// <summary>Lets them go on.</summary>
    public void Release()
    {
        Volatile.Write(ref _released, 1);
        _release.SetResult();
        _held.Exit();
        foreach ((_, Socket writer) in _sockets)
        {
            writer.Send([1]);
        }
    }

    /// <summary>Waits for their end.</summary>
    public bool Wait(TimeSpan limit) => _remaining.Wait(limit);

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach ((Socket reader, Socket writer) in _sockets)
        {
            reader.Dispose();
            writer.Dispose();
        }

        _remaining.Dispose();
    }

    private void Block(int index)
    {
        switch (index % 4)
        {
            case 0:
                while (Volatile.Read(ref _released) == 0)
                {
                    Thread.Sleep(s_sleepStep);
                }

                break;
            case 1:
                _sockets[index / 4].Reader.Receive(stackalloc byte[1]);
                break;
            case 2:
                _held.Enter();
                _held.Exit();
                break;
            default:
                _release.Task.Wait();
                break;
        }

        _remaining.Signal();
    }

    private sealed class Blocker(Blockers all, int index) : IThreadPoolWorkItem
    {
        public void Execute() => all.Block(index);
    }
}
