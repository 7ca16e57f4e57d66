using System.Net;
using System.Net.Sockets;

namespace AdaptivePool.Yarp.Tests;

/// <summary>A port behind which nobody answers.</summary>
internal sealed class SilentServer : IDisposable
{
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly List<Socket> _filling = [];

    private SilentServer()
    {
    }

    public string Url => $"http://{_listener.LocalEndPoint}";

    /// <summary>Listens and takes nothing.</summary>
    /// <param name="connects">Whether the system takes connections for it; otherwise connecting has no answer, because its queue is full.</param>
    public static async Task<SilentServer> StartAsync(bool connects)
    {
        SilentServer server = new();
        server._listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        server._listener.Listen(connects ? 512 : 1);
        bool isFull = connects;
        while (!isFull)
        {
            Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            server._filling.Add(socket);
            Task connect = socket.ConnectAsync(server._listener.LocalEndPoint!);
            isFull = await Task.WhenAny(connect, Task.Delay(TimeSpan.FromMilliseconds(300))) != connect;
        }

        return server;
    }

    public void Dispose()
    {
        _listener.Dispose();
        _filling.ForEach(static socket => socket.Dispose());
    }
}
