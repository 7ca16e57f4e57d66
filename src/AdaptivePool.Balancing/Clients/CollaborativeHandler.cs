using System.Net;
using System.Net.Sockets;

namespace AdaptivePool.Balancing.Clients;

/// <summary>
/// Balances the requests of an <see cref="HttpClient"/> over backends that report their load. Each request goes to the chosen backend, whatever host its
/// address names. With HttpClientFactory: <c>services.AddHttpClient("bank").AddHttpMessageHandler(() =&gt; new CollaborativeHandler(options))</c>.
/// </summary>
/// <remarks>
/// If a backend refuses the connection, it gets no requests for a while, and the request goes to another backend: no part of it had been sent. The same applies
/// to a backend that does not accept the connection within <c>SocketsHttpHandler.ConnectTimeout</c>, if the request has no content and is a safe one, such as
/// GET. A backend that responds to none of several requests for a second also gets no requests for a while. While all backends are at their limit, a request
/// waits; after that it gets the status 503 with Retry-After. A response counts as ended when its content has been read or disposed.
/// </remarks>
public sealed class CollaborativeHandler : DelegatingHandler
{
    /// <summary>The status for a response that a backend did not complete. Otherwise a backend that breaks off at once would have the least work of
    /// all.</summary>
    private const int BrokenOff = (int)HttpStatusCode.BadGateway;

    private readonly CollaborativeHandlerOptions _options;
    private readonly BackendState[] _backends;
    private readonly BackendPicker _picker;

    /// <summary>Creates a handler.</summary>
    /// <param name="options">The settings of the handler, which it copies.</param>
    /// <exception cref="ArgumentException">A setting is out of its range.</exception>
    public CollaborativeHandler(CollaborativeHandlerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);

        // The caller's list may change, also between two reads. Therefore the copy is checked. A list that is null is treated as empty.
        _options = options with { Backends = [.. options.Backends ?? []] };
        _options.Validate();
        _picker = new BackendPicker(_options.Balancer ?? new CollaborativeBalancer(), _options.Clock);
        _backends = [.. _options.Backends.Select(address => new BackendState(address.Authority, _picker.Now))];
    }

    /// <summary>What the handler knows about the backends, in the order of the options.</summary>
    public IReadOnlyList<BackendState> Backends => [.. _backends];

    /// <summary>The number of requests that got the status 503 because all backends were at their limit.</summary>
    public long Shed => _picker.Shed;

    /// <summary>Not supported, because a request may have to wait. Without this override, a request would go to the host that its address names.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    protected override HttpResponseMessage Send(HttpRequestMessage request, CancellationToken cancellationToken) =>
        throw new NotSupportedException($"{nameof(CollaborativeHandler)} sends asynchronously only. Use {nameof(HttpClient)}.{nameof(SendAsync)}.");

    /// <inheritdoc/>
    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        Uri wanted = request.RequestUri is { IsAbsoluteUri: true } uri ? uri : throw new InvalidOperationException("The request has no absolute address.");
        IReadOnlyList<BackendState> left = _backends;
        bool hasTimedOut = false;
        while (true)
        {
            BalancerChoice choice = await _picker.PickAsync(left, _options.MostWait, _options.MostWaiting, cancellationToken);
            if (!choice.IsChosen)
            {
                return Refusal(request, choice.RetryAfter);
            }

            BackendState backend = left[choice.Index];
            try
            {
                return await SendAsync(request, wanted, backend, cancellationToken);
            }
            catch (Exception exception) when (left.Count > 1 && IsRefused(exception))
            {
                left = [.. left.Where(it => it != backend)];
            }
            catch (Exception exception) when (left.Count > 1 && !hasTimedOut && IsSafe(request) && IsSilent(exception, cancellationToken))
            {
                // This is tried once: where all backends have vanished without a response the request would wait for each of them.
                hasTimedOut = true;
                left = [.. left.Where(it => it != backend)];
            }
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _picker.Dispose();
        }

        base.Dispose(disposing);
    }

    private async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, Uri wanted, BackendState backend, CancellationToken cancellationToken)
    {
        Uri address = _options.Backends[Array.IndexOf(_backends, backend)];
        request.RequestUri = new UriBuilder(wanted) { Scheme = address.Scheme, Host = address.Host, Port = address.Port }.Uri;
        request.Headers.Remove(LoadReport.BalancerHeaderName);
        if (_options.BalancerName is { } name)
        {
            request.Headers.Add(LoadReport.BalancerHeaderName, name);
        }

        TimeSpan sentAt = _picker.Now;
        try
        {
            HttpResponseMessage response = await base.SendAsync(request, cancellationToken);

            // The time that the reader takes does not count: it says nothing about the speed of the backend.
            TimeSpan elapsed = _picker.Now - sentAt;
            int status = StatusOf(response);
            _picker.Answer(backend, status);
            TakeReport(response, backend);
            if (HasContent(response, request.Method))
            {
                response.Content = new CountedContent(response.Content, hasFailed => _picker.End(backend, hasFailed ? BrokenOff : status, elapsed));
            }
            else
            {
                _picker.End(backend, status, elapsed);
            }

            return response;
        }
        catch (Exception exception)
        {
            if (IsRefused(exception) || IsSilent(exception, cancellationToken))
            {
                _picker.EndUnsent(backend, _options.DownTime);
            }
            else if (exception is HttpRequestException failure && !IsOfContent(failure, request))
            {
                // The backend broke off, or its response could not be read.
                _picker.End(backend, BrokenOff, elapsed: default);
            }
            else
            {
                _picker.End(backend, elapsed: null);
            }

            throw;
        }
        finally
        {
            // A retry, by this handler or by a caller, starts with the requested address.
            request.RequestUri = wanted;
        }
    }

    /// <summary>Whether there is content, whose reader tells the end. A response without content need not be read or disposed (RFC 9110, 6.4.1).</summary>
    private static bool HasContent(HttpResponseMessage response, HttpMethod method) =>
        method != HttpMethod.Head && response.StatusCode is not (HttpStatusCode.NoContent or HttpStatusCode.NotModified)
            && response.Content.Headers.ContentLength != 0;

    /// <summary>Whether there was no connection: nothing of the request had been sent.</summary>
    private static bool IsRefused(Exception exception) =>
        exception is HttpRequestException { HttpRequestError: HttpRequestError.ConnectionError or HttpRequestError.NameResolutionError
            or HttpRequestError.SecureConnectionError };

    /// <summary>Whether the failure was in the caller's content, as far as this is known: a backend that breaks off gives an error code, or its socket
    /// does.</summary>
    private static bool IsOfContent(HttpRequestException failure, HttpRequestMessage request) =>
        request.Content is not null && failure is { HttpRequestError: HttpRequestError.Unknown, InnerException.InnerException: not SocketException };

    /// <summary>Whether a timeout expired that is not the caller's. It is the connect timeout of the inner handler or, which cannot be told apart, a timeout
    /// of another handler after the request had been sent.</summary>
    private static bool IsSilent(Exception exception, CancellationToken cancellationToken) =>
        exception is OperationCanceledException { InnerException: TimeoutException } && !cancellationToken.IsCancellationRequested;

    /// <summary>Whether sending the request twice does no harm (RFC 9110, 9.2.1), and is possible: content that was read cannot be read again.</summary>
    private static bool IsSafe(HttpRequestMessage request) => request.Content is null && (request.Method == HttpMethod.Get
        || request.Method == HttpMethod.Head || request.Method == HttpMethod.Options || request.Method == HttpMethod.Trace);

    private static int StatusOf(HttpResponseMessage response) => GrpcStatus.ToHttp(
        (int)response.StatusCode,
        response.Headers.TryGetValues(GrpcStatus.HeaderName, out IEnumerable<string>? values) ? values.FirstOrDefault() : null);

    private void TakeReport(HttpResponseMessage response, BackendState backend)
    {
        if (response.Headers.TryGetValues(LoadReport.HeaderName, out IEnumerable<string>? values))
        {
            _picker.Take(backend, string.Join(',', values));
            response.Headers.Remove(LoadReport.HeaderName);
        }
    }

    private static HttpResponseMessage Refusal(HttpRequestMessage request, TimeSpan retryAfter)
    {
        HttpResponseMessage response = new(HttpStatusCode.ServiceUnavailable) { RequestMessage = request, ReasonPhrase = "All backends are at their limit" };
        response.Headers.RetryAfter = new(TimeSpan.FromSeconds(Math.Max(1, Math.Ceiling(retryAfter.TotalSeconds))));
        return response;
    }
}
