using System.Net;
using System.Net.Sockets;
using System.Text;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>One keep-alive connection that sends the same request again and again; only as much HTTP as that takes, to stay light beside the server.</summary>
public sealed class HttpConnection : IDisposable
{
    private const int BufferBytes = 4_096;
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly byte[] _buffer = new byte[BufferBytes];
    private readonly byte[] _request;
    private readonly IPEndPoint _server;

    /// <summary>Creates an unconnected connection.</summary>
    public HttpConnection(Uri url)
    {
        _server = new IPEndPoint(IPAddress.Parse(url.Host), url.Port);
        _request = Encoding.ASCII.GetBytes($"GET {url.AbsolutePath} HTTP/1.1\r\nHost: {url.Authority}\r\n\r\n");
    }

    /// <summary>Connects.</summary>
    public Task ConnectAsync(CancellationToken cancellationToken) => _socket.ConnectAsync(_server, cancellationToken).AsTask();

    /// <summary>Sends the request and reads the whole answer. Returns its status.</summary>
    public async ValueTask<int> RequestAsync(CancellationToken cancellationToken)
    {
        await _socket.SendAsync(_request, cancellationToken);
        int filled = 0;
        int length = -1;
        while (length < 0 || filled < length)
        {
            int read = await _socket.ReceiveAsync(_buffer.AsMemory(filled), cancellationToken);
            if (read == 0)
            {
                throw new IOException("The server closed the connection.");
            }

            filled += read;
            if (length < 0)
            {
                length = AnswerLength(_buffer.AsSpan(0, filled));
            }
        }

        return StatusOf(_buffer.AsSpan(0, filled));
    }

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();

    private static int StatusOf(ReadOnlySpan<byte> answer)
    {
        ReadOnlySpan<byte> version = "HTTP/1.1 "u8;
        return answer.StartsWith(version) && System.Buffers.Text.Utf8Parser.TryParse(answer[version.Length..], out int status, out _) ? status
            : throw new IOException("Bad status line.");
    }

    /// <summary>Bytes of head and body; -1 while the head is incomplete. The endpoints answer short texts, chunked or with a length.</summary>
    private static int AnswerLength(ReadOnlySpan<byte> answer)
    {
        int head = answer.IndexOf("\r\n\r\n"u8);
        if (head < 0)
        {
            return -1;
        }

        int body = head + 4;
        ReadOnlySpan<byte> headers = answer[..head];
        int at = headers.IndexOf("Content-Length: "u8);
        if (at >= 0)
        {
            ReadOnlySpan<byte> digits = headers[(at + "Content-Length: ".Length)..];
            return System.Buffers.Text.Utf8Parser.TryParse(digits, out int length, out _) ? body + length : throw new IOException("Bad Content-Length.");
        }

        int end = answer[body..].IndexOf("0\r\n\r\n"u8);
        return end < 0 ? -1 : body + end + 5;
    }
}
