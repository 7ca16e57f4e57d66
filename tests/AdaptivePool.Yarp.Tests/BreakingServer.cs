using System.Net;
using System.Net.Sockets;
using System.Text;

namespace AdaptivePool.Yarp.Tests;

/// <summary>A server that takes requests and fails each at once.</summary>
internal sealed class BreakingServer : IDisposable
{
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly Break _how;
    private int _requests;

    public BreakingServer(Break how)
    {
        _how = how;
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen(512);
        _ = ServeAsync();
    }

    public string Url => $"http://{_listener.LocalEndPoint}";

    public int Requests => Volatile.Read(ref _requests);

    public void Dispose() => _listener.Dispose();

    private async Task ServeAsync()
    {
        try
        {
            while (true)
            {
                _ = BreakAsync(await _listener.AcceptAsync());
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The test is over.
        }
    }

    private async Task BreakAsync(Socket client)
    {
        using (client)
        {
            byte[] request = new byte[4096];
            if (await client.ReceiveAsync(request) == 0)
            {
                return;
            }

            Interlocked.Increment(ref _requests);
            if (_how != Break.Resets)
            {
                string answer = _how == Break.ResetsInTheContent ? "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nhalf" : "SSH-2.0-OpenSSH_9.2\r\n\r\n";
                await client.SendAsync(Encoding.ASCII.GetBytes(answer));
            }

            client.LingerState = new LingerOption(enable: _how != Break.AnswersSomethingElse, seconds: 0);
        }
    }
}
