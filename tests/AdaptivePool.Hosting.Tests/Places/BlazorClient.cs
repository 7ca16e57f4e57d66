using System.Buffers;
using System.Net.WebSockets;
using System.Text;

namespace AdaptivePool.Hosting.Tests.Places;

/// <summary>
/// As much of a browser as it takes to open a circuit of Blazor Server and to send it an event: a handshake and messages of its hub protocol, which is
/// MessagePack behind a length.
/// </summary>
internal sealed class BlazorClient : IAsyncDisposable
{
    private const byte FixArray = 0x90;
    private const byte EmptyMap = 0x80;
    private const byte FixString = 0xa0;
    private const byte String8 = 0xd9;
    private const byte Invocation = 1;
    private const byte Zero = 0;
    private const int ShortString = 32;

    private readonly ClientWebSocket _socket = new();

    public async Task OpenCircuitAsync(Uri app, CancellationToken cancellationToken)
    {
        var hub = new UriBuilder(app) { Scheme = "ws", Path = "/_blazor" };
        await _socket.ConnectAsync(hub.Uri, cancellationToken);
        await SendAsync(Encoding.UTF8.GetBytes("{\"protocol\":\"blazorpack\",\"version\":1}\u001e"), cancellationToken);
        await _socket.ReceiveAsync(new byte[1_024].AsMemory(), cancellationToken);
        await SendAsync(Framed(Invoke("StartCircuit", [app.ToString(), app.ToString(), "[]", ""])), cancellationToken);
    }

    /// <summary>Calls a static method of the application with a text, as a script in the page does.</summary>
    public async Task CallAsync(string assembly, string method, string argument, CancellationToken cancellationToken) =>
        await SendAsync(Framed(Invoke("BeginInvokeDotNetFromJS", ["1", assembly, method, null, $"[\"{argument}\"]"])), cancellationToken);

    public ValueTask DisposeAsync()
    {
        _socket.Abort();
        _socket.Dispose();
        return ValueTask.CompletedTask;
    }

    private ValueTask SendAsync(ReadOnlyMemory<byte> message, CancellationToken cancellationToken) =>
        _socket.SendAsync(message, WebSocketMessageType.Binary, endOfMessage: true, cancellationToken);

    // [1, headers, invocation id, target, arguments, stream ids]
    private static ReadOnlyMemory<byte> Invoke(string target, string?[] arguments)
    {
        var message = new ArrayBufferWriter<byte>();
        Write(message, FixArray | 6, Invocation, EmptyMap);
        Write(message, "0");
        Write(message, target);
        Write(message, (byte)(FixArray | arguments.Length));
        foreach (var argument in arguments)
        {
            Write(message, argument);
        }

        Write(message, FixArray);
        return message.WrittenMemory;
    }

    private static void Write(ArrayBufferWriter<byte> message, params ReadOnlySpan<byte> bytes) => message.Write(bytes);

    /// <param name="message">Where to.</param>
    /// <param name="text">The text; <see langword="null"/> stands for the number 0.</param>
    private static void Write(ArrayBufferWriter<byte> message, string? text)
    {
        if (text is null)
        {
            Write(message, Zero);
            return;
        }

        var bytes = Encoding.UTF8.GetBytes(text);
        if (bytes.Length < ShortString)
        {
            Write(message, (byte)(FixString | bytes.Length));
        }
        else
        {
            Write(message, String8, (byte)bytes.Length);
        }

        message.Write(bytes);
    }

    // The length in groups of seven bits, the lowest first; the messages here fit into two.
    private static ReadOnlyMemory<byte> Framed(ReadOnlyMemory<byte> message)
    {
        var framed = new ArrayBufferWriter<byte>();
        var length = message.Length;
        for (; length > 0x7f; length >>= 7)
        {
            Write(framed, (byte)((length & 0x7f) | 0x80));
        }

        Write(framed, (byte)length);
        framed.Write(message.Span);
        return framed.WrittenMemory;
    }
}
