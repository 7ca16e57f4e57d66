using System.Net;

namespace AdaptivePool.Balancing.Clients;

/// <summary>The content of a response. It reports once when it or its stream has been read to the end or disposed, or when it is no longer referenced: until
/// then the request is in flight. It also reports whether reading it failed.</summary>
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

        // Set last: an object whose constructor failed is finalized, too, and in that case the code that called the constructor reports the end.
        _ended = ended;
    }

    /// <summary>A response that was not disposed is over when it is no longer referenced.</summary>
    ~CountedContent() => End(hasFailed: false);

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => SerializeToStreamAsync(stream, context, default);

    // By way of the stream, which distinguishes a failure to read from a failure to write.
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

    // A caller that asks only for the stream never disposes the response.
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

    // Of several calls, for reading and disposing at once, one reports the end.
    private void End(bool hasFailed)
    {
        GC.SuppressFinalize(this);
        Interlocked.Exchange(ref _ended, null)?.Invoke(hasFailed);
    }
}
