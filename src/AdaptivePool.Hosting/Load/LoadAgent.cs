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

    /// <summary>Time until it is tried again to accept after that has failed.</summary>
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
                // All addresses are those of IPv4 as well, as for the server of the application.
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
        // Seen by Serve after its accept has failed: without it the loop would go on with a closed socket.
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
                // This agent has ended; or the process has no descriptor left, and without a pause nothing would be left of a core either.
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
            // Who asked has gone.
        }
    }
}
