using System.Buffers.Binary;
using System.Net.Sockets;
using System.Text;

namespace AdaptivePool.Scenarios.Scenarios.Bursts;

/// <summary>A connection to a MariaDB server that asks for no password, for statements without a result.</summary>
/// <remarks>A packet has its length in three bytes, a sequence number in the fourth, then its content.</remarks>
public sealed class MariaDbConnection : IDisposable
{
    // mysql_com.h: what the client can do, the command that is a statement, and what answers begin with.
    private const uint Protocol41 = 0x200;
    private const uint SecureConnection = 0x8000;
    private const uint PluginAuth = 0x80000;
    private const uint LargestPacket = 1 << 24;
    private const byte Utf8 = 45;
    private const byte Query = 3;
    private const byte Fine = 0;
    private const byte Failed = 0xff;
    private const int HeaderBytes = 4;
    private const int ReservedBytes = 23;
    private const int ErrorCodeBytes = 3;
    private readonly Socket _socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);

    /// <summary>Connects.</summary>
    /// <param name="path">The server's socket.</param>
    /// <exception cref="SocketException">Nobody listens.</exception>
    /// <exception cref="InvalidOperationException">The server refuses.</exception>
    public MariaDbConnection(string path)
    {
        _socket.Connect(new UnixDomainSocketEndPoint(path));
        (byte number, byte[] greeting) = Read();
        Check(greeting, expected: greeting[0]);
        byte[] login = new byte[HeaderBytes + 4 + ReservedBytes];
        BinaryPrimitives.WriteUInt32LittleEndian(login, Protocol41 | SecureConnection | PluginAuth);
        BinaryPrimitives.WriteUInt32LittleEndian(login.AsSpan(4), LargestPacket);
        login[8] = Utf8;
        Send(Packet((byte)(number + 1), [.. login, .. "root\0\0mysql_native_password\0"u8]));
        ReadAnswer();
    }

    /// <summary>The bytes of a statement.</summary>
    public static byte[] Command(string statement) => Packet(0, [Query, .. Encoding.UTF8.GetBytes(statement)]);

    /// <summary>Sends bytes of <see cref="Command"/>.</summary>
    public void Send(byte[] command)
    {
        for (int sent = 0; sent < command.Length;)
        {
            sent += _socket.Send(command.AsSpan(sent));
        }
    }

    /// <summary>Waits for the answer.</summary>
    /// <exception cref="InvalidOperationException">The server could not do it.</exception>
    public void ReadAnswer() => Check(Read().Content, Fine);

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();

    private static void Check(byte[] content, byte expected)
    {
        if (content[0] == Failed || content[0] != expected)
        {
            throw new InvalidOperationException($"MariaDB refused: {Encoding.UTF8.GetString(content.AsSpan(Math.Min(ErrorCodeBytes, content.Length)))}");
        }
    }

    private static byte[] Packet(byte number, byte[] content) =>
        [(byte)content.Length, (byte)(content.Length >> 8), (byte)(content.Length >> 16), number, .. content];

    private (byte Number, byte[] Content) Read()
    {
        byte[] header = ReadExactly(HeaderBytes);
        return (header[3], ReadExactly(header[0] | (header[1] << 8) | (header[2] << 16)));
    }

    private byte[] ReadExactly(int count)
    {
        byte[] bytes = new byte[count];
        for (int read = 0; read < count;)
        {
            int more = _socket.Receive(bytes.AsSpan(read));
            read += more > 0 ? more : throw new InvalidOperationException("MariaDB closed the connection.");
        }

        return bytes;
    }
}
