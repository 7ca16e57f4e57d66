namespace AdaptivePool.Balancing.Clients;

/// <summary>The stream of an answer, which tells when it has been read to its end or disposed.</summary>
/// <param name="inner">The stream.</param>
/// <param name="ended">Is told, once or more.</param>
internal sealed class CountedStream(Stream inner, Action ended) : Stream
{
    public override bool CanRead => inner.CanRead;

    public override bool CanSeek => inner.CanSeek;

    public override bool CanWrite => false;

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

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override int Read(Span<byte> buffer) => Told(inner.Read(buffer), buffer.Length);

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        Told(await inner.ReadAsync(buffer, cancellationToken), buffer.Length);

    public override long Seek(long offset, SeekOrigin origin) => inner.Seek(offset, origin);

    public override void Flush() => inner.Flush();

    public override void SetLength(long value) => throw new NotSupportedException("The stream of an answer can only be read.");

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException("The stream of an answer can only be read.");

    public override async ValueTask DisposeAsync()
    {
        ended();
        await inner.DisposeAsync();
        await base.DisposeAsync();
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            ended();
            inner.Dispose();
        }

        base.Dispose(disposing);
    }

    private int Told(int read, int wanted)
    {
        if (read == 0 && wanted > 0)
        {
            ended();
        }

        return read;
    }
}
