namespace AdaptivePool.Data;

/// <summary>A column that is read as a stream. It ends with its reader: a provider reads it from the connection, and may use the object again.</summary>
internal sealed class GatedStream(Stream inner, GatedReader reader) : Stream
{
    private bool _isDisposed;

    public override bool CanRead => IsOpen && inner.CanRead;

    public override bool CanSeek => IsOpen && inner.CanSeek;

    public override bool CanWrite => false;

    public override long Length => Inner.Length;

    public override long Position
    {
        get => Inner.Position;
        set => Inner.Position = value;
    }

    private bool IsOpen => !_isDisposed && reader.IsOpen;

    private Stream Inner => IsOpen ? inner : throw new ObjectDisposedException(nameof(Stream));

    public override int Read(byte[] buffer, int offset, int count) => reader.Inside(Inner, open => open.Read(buffer, offset, count));

    public override int ReadByte() => reader.Inside(Inner, static open => open.ReadByte());

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        await reader.InsideAsync(Inner, open => open.ReadAsync(buffer, cancellationToken).AsTask()).ConfigureAwait(false);

    public override long Seek(long offset, SeekOrigin origin) => reader.Inside(Inner, open => open.Seek(offset, origin));

    /// <summary>There is nothing to flush.</summary>
    public override void Flush()
    {
    }

    public override async ValueTask DisposeAsync()
    {
        if (IsOpen)
        {
            await reader.DisposeColumnAsync(inner).ConfigureAwait(false);
        }

        _isDisposed = true;
        await base.DisposeAsync().ConfigureAwait(false);
    }

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing && IsOpen)
        {
            reader.DisposeColumn(inner);
        }

        _isDisposed = true;
        base.Dispose(disposing);
    }
}
