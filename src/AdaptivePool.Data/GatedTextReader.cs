namespace AdaptivePool.Data;

/// <summary>A column that is read as text, to the end of its reader: a provider reads it from the connection, and may use the object again.</summary>
internal sealed class GatedTextReader(TextReader inner, GatedReader reader) : TextReader
{
    private bool _isDisposed;

    private bool IsOpen => !_isDisposed && reader.IsOpen;

    private TextReader Inner => IsOpen ? inner : throw new ObjectDisposedException(nameof(TextReader));

    public override int Peek() => Call(static open => open.Peek());

    public override int Read() => Call(static open => open.Read());

    public override int Read(char[] buffer, int index, int count) => Call(open => open.Read(buffer, index, count));

    public override string? ReadLine() => Call(static open => open.ReadLine());

    public override string ReadToEnd() => Call(static open => open.ReadToEnd());

    public override Task<int> ReadAsync(char[] buffer, int index, int count) => CallAsync(open => open.ReadAsync(buffer, index, count));

    public override async ValueTask<int> ReadAsync(Memory<char> buffer, CancellationToken cancellationToken = default) =>
        await CallAsync(open => open.ReadAsync(buffer, cancellationToken).AsTask()).ConfigureAwait(false);

    public override Task<string?> ReadLineAsync() => CallAsync(static open => open.ReadLineAsync());

    public override async ValueTask<string?> ReadLineAsync(CancellationToken cancellationToken) =>
        await CallAsync(open => open.ReadLineAsync(cancellationToken).AsTask()).ConfigureAwait(false);

    public override Task<string> ReadToEndAsync() => CallAsync(static open => open.ReadToEndAsync());

    public override Task<string> ReadToEndAsync(CancellationToken cancellationToken) => CallAsync(open => open.ReadToEndAsync(cancellationToken));

    protected override void Dispose(bool disposing)
    {
        if (disposing && IsOpen)
        {
            reader.DisposeColumn(inner);
        }

        _isDisposed = true;
        base.Dispose(disposing);
    }

    // Before the reader says that it is closed: what it has given says that it is disposed, as a provider's does.
    private T Call<T>(Func<TextReader, T> call)
    {
        TextReader open = Inner;
        return reader.Inside(() => call(open));
    }

    private Task<T> CallAsync<T>(Func<TextReader, Task<T>> call)
    {
        TextReader open = Inner;
        return reader.InsideAsync(() => call(open));
    }
}
