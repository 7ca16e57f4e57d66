namespace AdaptivePool.Balancing.Clients;

/// <summary>The stream of a response. It reports when it has been read to the end or disposed, or can no longer be read.</summary>
/// <param name="inner">The stream.</param>
/// <param name="ended">Called once or more, with whether reading failed.</param>
internal sealed class CountedStream(Stream inner, Action<bool> ended) : Stream
{
    public override bool CanRead => inner.CanRead;

    public override bool CanSeek => inner.CanSeek;

    // The stream of a connection that has switched to another protocol (WebSockets) can be written to.
    public override bool CanWrite => inner.CanWrite;

    public override bool CanTimeout => inner.CanTimeout;

    public override long Length => inner.Length;

    public override long Position
    {
        get => inner.Position;
        set => inner.Position = value;
    }

    public override int ReadTimeout
    {
        get => inner.ReadTimeout;
        set => inner.ReadTimeout = value;
    }

    public override int WriteTimeout
    {
        get => inner.WriteTimeout;
        set => inner.WriteTimeout = value;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override int Read(Span<byte> buffer)
    {
        try
        {
            return Told(inner.Read(buffer), buffer.Length);
        }
        catch (IOException)
        {
            ended(true);
            throw;
        }
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        try
        {
            return Told(await inner.ReadAsync(buffer, cancellationToken), buffer.Length);
        }
        catch (IOException)
        {
            ended(true);
            throw;
        }
    }

    public override long Seek(long offset, SeekOrigin origin) => inner.Seek(offset, origin);

    public override void Flush() => inner.Flush();

    public override Task FlushAsync(CancellationToken cancellationToken) => inner.FlushAsync(cancellationToken);

    public override void SetLength(long value) => inner.SetLength(value);

    public override void Write(byte[] buffer, int offset, int count) => inner.Write(buffer, offset, count);

    public override void Write(ReadOnlySpan<byte> buffer) => inner.Write(buffer);

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        inner.WriteAsync(buffer, offset, count, cancellationToken);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        inner.WriteAsync(buffer, cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        ended(false);
        await inner.DisposeAsync();
        await base.DisposeAsync();
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            ended(false);
            inner.Dispose();
        }

        base.Dispose(disposing);
    }

    private int Told(int read, int wanted)
    {
        if (read == 0 && wanted > 0)
        {
            ended(false);
        }

        return read;
    }
}
