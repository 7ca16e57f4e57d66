namespace AdaptivePool.Data;

/// <summary>A column that is read as text, to the end of its reader: a provider reads it from the connection, and may use the object again.</summary>
internal sealed class GatedTextReader(TextReader inner, GatedReader reader) : TextReader
{
    private bool _isDisposed;

    private bool IsOpen => !_isDisposed && reader.IsOpen;

    private TextReader Inner => IsOpen ? inner : throw new ObjectDisposedException(nameof(TextReader));

    public override int Peek() => reader.Inside(() => Inner.Peek());

    public override int Read() => reader.Inside(() => Inner.Read());

    public override int Read(char[] buffer, int index, int count) => reader.Inside(() => Inner.Read(buffer, index, count));

    public override string? ReadLine() => reader.Inside(() => Inner.ReadLine());

    public override string ReadToEnd() => reader.Inside(() => Inner.ReadToEnd());

    public override Task<int> ReadAsync(char[] buffer, int index, int count) => reader.InsideAsync(() => Inner.ReadAsync(buffer, index, count));

    public override async ValueTask<int> ReadAsync(Memory<char> buffer, CancellationToken cancellationToken = default) =>
        await reader.InsideAsync(async () => await Inner.ReadAsync(buffer, cancellationToken).ConfigureAwait(false)).ConfigureAwait(false);

    public override Task<string?> ReadLineAsync() => reader.InsideAsync(() => Inner.ReadLineAsync());

    public override async ValueTask<string?> ReadLineAsync(CancellationToken cancellationToken) =>
        await reader.InsideAsync(async () => await Inner.ReadLineAsync(cancellationToken).ConfigureAwait(false)).ConfigureAwait(false);

    public override Task<string> ReadToEndAsync() => reader.InsideAsync(() => Inner.ReadToEndAsync());

    public override Task<string> ReadToEndAsync(CancellationToken cancellationToken) => reader.InsideAsync(() => Inner.ReadToEndAsync(cancellationToken));

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
