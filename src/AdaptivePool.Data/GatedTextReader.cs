namespace AdaptivePool.Data;

/// <summary>A column that is read as text. It ends with its reader: a provider reads it from the connection, and may use the object again.</summary>
internal sealed class GatedTextReader(TextReader inner, GatedReader reader) : TextReader
{
    private bool _isDisposed;

    private bool IsOpen => !_isDisposed && reader.IsOpen;

    private TextReader Inner => IsOpen ? inner : throw new ObjectDisposedException(nameof(TextReader));

    public override int Peek() => reader.Inside(Inner, static open => open.Peek());

    public override int Read() => reader.Inside(Inner, static open => open.Read());

    public override int Read(char[] buffer, int index, int count) => reader.Inside(Inner, open => open.Read(buffer, index, count));

    public override string? ReadLine() => reader.Inside(Inner, static open => open.ReadLine());

    public override string ReadToEnd() => reader.Inside(Inner, static open => open.ReadToEnd());

    public override Task<int> ReadAsync(char[] buffer, int index, int count) => reader.InsideAsync(Inner, open => open.ReadAsync(buffer, index, count));

    public override async ValueTask<int> ReadAsync(Memory<char> buffer, CancellationToken cancellationToken = default) =>
        await reader.InsideAsync(Inner, open => open.ReadAsync(buffer, cancellationToken).AsTask()).ConfigureAwait(false);

    public override Task<string?> ReadLineAsync() => reader.InsideAsync(Inner, static open => open.ReadLineAsync());

    public override async ValueTask<string?> ReadLineAsync(CancellationToken cancellationToken) =>
        await reader.InsideAsync(Inner, open => open.ReadLineAsync(cancellationToken).AsTask()).ConfigureAwait(false);

    public override Task<string> ReadToEndAsync(CancellationToken cancellationToken) =>
        reader.InsideAsync(Inner, open => open.ReadToEndAsync(cancellationToken));

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
