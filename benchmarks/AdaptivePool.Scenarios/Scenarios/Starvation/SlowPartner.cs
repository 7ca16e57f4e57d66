using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace AdaptivePool.Scenarios.Scenarios.Starvation;

/// <summary>A partner that answers any number of callers at once over sockets, as late as it is asked to. It has a thread of its own for each caller.</summary>
public sealed class SlowPartner : IDisposable
{
    private readonly Socket _listener = NewSocket();
    private readonly ConcurrentBag<Socket> _free = [];

    /// <summary>Starts it on a free port.</summary>
    public SlowPartner()
    {
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen(1_000);
        Start(Accept);
    }

    /// <summary>Asks it, and waits for the answer on the calling thread.</summary>
    /// <param name="time">How long the answer takes.</param>
    public void Ask(TimeSpan time)
    {
        Span<byte> message = stackalloc byte[sizeof(long)];
        if (!_free.TryTake(out Socket? socket))
        {
            socket = NewSocket();
            socket.Connect(_listener.LocalEndPoint!);
        }

        BinaryPrimitives.WriteInt64LittleEndian(message, time.Ticks);
        socket.Send(message);
        socket.Receive(message);
        _free.Add(socket);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _listener.Dispose();
        while (_free.TryTake(out Socket? socket))
        {
            socket.Dispose();
        }
    }

    private static Socket NewSocket() => new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    private static void Start(Action action) => new Thread(() => action()) { IsBackground = true, Name = "slow partner" }.UnsafeStart();

    private void Accept()
    {
        try
        {
            while (true)
            {
                Socket caller = _listener.Accept();
                Start(() => Answer(caller));
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // It was disposed, during an accept or before it.
        }
    }

    private static void Answer(Socket caller)
    {
        Span<byte> message = stackalloc byte[sizeof(long)];
        using (caller)
        {
            try
            {
                while (caller.Receive(message) == message.Length)
                {
                    Thread.Sleep(TimeSpan.FromTicks(BinaryPrimitives.ReadInt64LittleEndian(message)));
                    caller.Send(message);
                }
            }
            catch (SocketException)
            {
                // The caller is gone.
            }
        }
    }
}
