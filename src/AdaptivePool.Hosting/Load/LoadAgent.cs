using System.Net;
using System.Net.Sockets;
using System.Text;

namespace AdaptivePool.Hosting.Load;

/// <summary>Answers HAProxy's agent check: whoever connects is written one line. On a thread of its own, since a backend that is overloaded must
/// answer it too.</summary>
internal sealed class LoadAgent : IDisposable
{
    private const int Backlog = 16;

    /// <summary>Nobody who connects and does not read holds the others up.</summary>
    private const int SendTimeoutMilliseconds = 500;

    private readonly Socket _listener;
    private readonly Func<string> _line;
    private readonly Thread _thread;
    private volatile bool _isDisposed;

    public LoadAgent(IPAddress address, int port, Func<string> line)
    {
        _line = line;
        _listener = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            _listener.Bind(new IPEndPoint(address, port));
            _listener.Listen(Backlog);
        }
        catch (SocketException exception)
        {
            _listener.Dispose();
            throw new InvalidOperationException($"LoadReporting: AgentPort {port} on {address} cannot be listened at: {exception.Message}", exception);
        }

        _thread = new Thread(Serve) { IsBackground = true, Name = "load agent" };
        _thread.Start();
    }

    public void Dispose()
    {
        if (!_isDisposed)
        {
            // Read by Serve after its accept has failed: without it the loop would go on with a closed socket.
            _isDisposed = true;
            _listener.Dispose();
            _thread.Join();
        }
    }

    private void Serve()
    {
        while (!_isDisposed)
        {
            try
            {
                using Socket client = _listener.Accept();
                client.SendTimeout = SendTimeoutMilliseconds;
                client.Send(Encoding.ASCII.GetBytes(_line()));
                client.Shutdown(SocketShutdown.Both);
            }
            catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
            {
                // A backend that has gone, or this one.
            }
        }
    }
}
