using System.Net;
using System.Net.Sockets;
using System.Text;

namespace AdaptivePool.Hosting.Load;

/// <summary>Answers HAProxy's agent check: each client that connects gets one line. It has a thread of its own, because a backend that is overloaded must
/// also answer.</summary>
internal sealed class LoadAgent : IDisposable
{
    private const int Backlog = 16;

    /// <summary>A client that connects and does not read must not hold up the others.</summary>
    private const int SendTimeoutMilliseconds = 500;

    /// <summary>Time to the next attempt after an accept has failed.</summary>
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(100);

    private readonly Socket _listener;
    private readonly Func<string> _line;
    private readonly Thread _thread;
    private readonly ManualResetEventSlim _end = new();

    public LoadAgent(IPAddress address, int port, Func<string> line)
    {
        _line = line;
        Socket? listener = null;
        try
        {
            listener = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            if (address.AddressFamily == AddressFamily.InterNetworkV6)
            {
                // The socket then accepts IPv4 as well, like the server of the application.
                listener.DualMode = true;
            }

            listener.Bind(new IPEndPoint(address, port));
            listener.Listen(Backlog);
            _listener = listener;
            _thread = new Thread(Serve) { IsBackground = true, Name = "load agent" };
            _thread.UnsafeStart();
        }
        catch (Exception exception) when (exception is SocketException or OutOfMemoryException or ThreadStartException)
        {
            listener?.Dispose();
            throw new InvalidOperationException(
                $"LoadReporting: the agent cannot listen on AgentPort {port} of AgentAddress {address}: {exception.Message}", exception);
        }
    }

    public void Dispose()
    {
        // Serve sees this after its accept has failed. Without it the loop would continue with a closed socket.
        _end.Set();
        _listener.Dispose();
        _thread.Join();
        _end.Dispose();
    }

    private void Serve()
    {
        while (!_end.IsSet)
        {
            try
            {
                using var client = _listener.Accept();
                Answer(client);
            }
            catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
            {
                // Either this agent has ended, or the process has no descriptor left. In that case a loop without a pause would use a whole core.
                _end.Wait(s_pause);
            }
        }
    }

    private void Answer(Socket client)
    {
        try
        {
            client.SendTimeout = SendTimeoutMilliseconds;
            client.Send(Encoding.ASCII.GetBytes(_line()));
            client.Shutdown(SocketShutdown.Both);
        }
        catch (SocketException)
        {
            // The client has disconnected.
        }
    }
}
