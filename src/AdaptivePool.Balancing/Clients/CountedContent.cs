using System.Net;

namespace AdaptivePool.Balancing.Clients;

/// <summary>An answer's content that tells once when it has been read to its end or disposed, or the stream of it has, or when nobody knows it any more: until
/// then the request is in flight. It tells, too, whether reading it failed.</summary>
internal sealed class CountedContent : HttpContent
{
    private readonly HttpContent _inner;
    private Action<bool>? _ended;

    public CountedContent(HttpContent inner, Action<bool> ended)
    {
        _inner = inner;
        foreach (KeyValuePair<string, IEnumerable<string>> header in inner.Headers)
        {
            Headers.TryAddWithoutValidation(header.Key, header.Value);
        }

        // Last: what could not be made is finalized all the same, and whoever made it tells the end.
        _ended = ended;
    }

    /// <summary>An answer that nobody has disposed is over when nobody knows it any more.</summary>
    ~CountedContent() => End(hasFailed: false);

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => SerializeToStreamAsync(stream, context, default);

    // By the stream, which tells a failure to read from one to write.
    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        await using Stream content = await CreateContentReadStreamAsync(cancellationToken);
        await content.CopyToAsync(stream, cancellationToken);
    }

    protected override void SerializeToStream(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        using Stream content = CreateContentReadStream(cancellationToken);
        content.CopyTo(stream);
    }

    // Whoever asks for the stream alone never disposes the answer.
    protected override Task<Stream> CreateContentReadStreamAsync() => CreateContentReadStreamAsync(default);

    protected override async Task<Stream> CreateContentReadStreamAsync(CancellationToken cancellationToken)
    {
        try
        {
            return new CountedStream(await _inner.ReadAsStreamAsync(cancellationToken), End);
        }
        catch
        {
            End(hasFailed: true);
            throw;
        }
    }

    protected override Stream CreateContentReadStream(CancellationToken cancellationToken)
    {
        try
        {
            return new CountedStream(_inner.ReadAsStream(cancellationToken), End);
        }
        catch
        {
            End(hasFailed: true);
            throw;
        }
    }

    protected override bool TryComputeLength(out long length)
    {
        length = _inner.Headers.ContentLength ?? 0;
        return _inner.Headers.ContentLength is not null;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            End(hasFailed: false);
            _inner.Dispose();
        }

        base.Dispose(disposing);
    }

    // One of those that read and dispose at once tells.
    private void End(bool hasFailed)
    {
        GC.SuppressFinalize(this);
        Interlocked.Exchange(ref _ended, null)?.Invoke(hasFailed);
    }
}
