using System.Collections;
using System.Net;
using AdaptivePool.Balancing.Clients;

namespace AdaptivePool.Balancing.Tests.Clients;

public sealed partial class CollaborativeHandlerTests
{
    [Fact]
    public async Task Requests_GoToTheBackends_WhateverHostIsAsked()
    {
        Servers servers = new();
        using HttpClient client = servers.Client(2);
        for (int i = 0; i < 10; i++)
        {
            (await client.GetStringAsync("http://bank/accounts?id=7")).ShouldBe("ok");
        }

        servers.Asked.ShouldAllBe(uri => uri.PathAndQuery == "/accounts?id=7");
        servers.Asked.Select(uri => uri.Authority).Distinct().Order().ShouldBe(["b0:81", "b1:81"]);
    }

    [Fact]
    public async Task Report_IsTaken_AndTheCallerDoesNotSeeIt()
    {
        Servers servers = new() { Report = host => host == "b0" ? "run=1; seq=1; op=0.001" : null };
        using CollaborativeHandler handler = servers.Handler(2);
        using HttpClient client = new(handler);
        for (int i = 0; i < 20; i++)
        {
            using HttpResponseMessage response = await client.GetAsync("http://bank/");
            response.Headers.Contains(LoadReport.HeaderName).ShouldBeFalse();
        }

        servers.Asked.Count(uri => uri.Host == "b0").ShouldBeLessThanOrEqualTo(2);
        handler.Backends[0].Point.ShouldBe(new OverloadPoint(0.001));
        handler.Backends.Sum(b => b.InFlight).ShouldBe(0);
    }

    [Fact]
    public void Send_Synchronous_IsRefusedAndReachesNoHost()
    {
        Servers servers = new();
        using HttpClient client = servers.Client(2);
        using HttpRequestMessage request = new(HttpMethod.Get, "http://bank/");
        Should.Throw<NotSupportedException>(() => client.Send(request)).Message.ShouldContain("SendAsync");
        servers.Asked.ShouldBeEmpty();
    }

    [Fact]
    public async Task DeadBackend_CostsNoRequest()
    {
        Servers servers = new() { IsDead = host => host == "b0" };
        using HttpClient client = servers.Client(2);
        for (int i = 0; i < 10; i++)
        {
            (await client.GetStringAsync("http://bank/")).ShouldBe("ok");
        }

        servers.Asked.Count(uri => uri.Host == "b0").ShouldBe(1, "it is left alone");
    }

    [Fact]
    public async Task BackendWithABrokenCertificate_CostsNoRequest()
    {
        // Nothing of a request is sent before the handshake has succeeded.
        Servers servers = new() { Breaks = static host => host == "b0" ? HttpRequestError.SecureConnectionError : null };
        using HttpClient client = servers.Client(2);
        for (int i = 0; i < 10; i++)
        {
            using HttpResponseMessage response = await client.PostAsync("http://bank/", new StringContent("a transfer"));
            response.StatusCode.ShouldBe(HttpStatusCode.OK);
        }

        servers.Asked.Count(static uri => uri.Host == "b0").ShouldBe(1, "it is left alone");
    }

    [Fact]
    public async Task AllSilent_AreTriedTwice_NotEach()
    {
        Servers servers = new() { IsSilent = static _ => true };
        using HttpClient client = servers.Client(5);
        await Should.ThrowAsync<TaskCanceledException>(() => client.GetStringAsync("http://bank/"));
        servers.Asked.Count.ShouldBe(2);
    }

    [Theory]
    [InlineData("GET", false, true)]
    [InlineData("GET", true, false)]
    [InlineData("POST", false, false)]
    public async Task SilentBackend_IsLeftAlone_AndCostsNoSafeRequest(string method, bool hasContent, bool isSafe)
    {
        Servers servers = new() { IsSilent = host => host == "b1" };
        using HttpClient client = servers.Client(2);
        int lost = 0;
        for (int i = 0; i < 10; i++)
        {
            using HttpRequestMessage request = new(new HttpMethod(method), "http://bank/") { Content = hasContent ? new StringContent("query") : null };
            try
            {
                using HttpResponseMessage response = await client.SendAsync(request);
            }
            catch (TaskCanceledException)
            {
                lost++;
            }
        }

        lost.ShouldBe(isSafe ? 0 : 1);
        servers.Asked.Count(uri => uri.Host == "b1").ShouldBe(1, "it is left alone");
    }

    [Fact]
    public async Task AllDead_ThrowsWhatTheLastOneThrew()
    {
        Servers servers = new() { IsDead = _ => true };
        using CollaborativeHandler handler = servers.Handler(3);
        using HttpClient client = new(handler);
        (await Should.ThrowAsync<HttpRequestException>(() => client.GetStringAsync("http://bank/"))).HttpRequestError.ShouldBe(
            HttpRequestError.ConnectionError);
        servers.Asked.Count.ShouldBe(3);
        handler.Backends.Sum(b => b.InFlight).ShouldBe(0);
    }

    [Fact]
    public async Task AllAtTheirLimit_IsAnsweredWith503AndRetryAfter()
    {
        Servers servers = new() { Report = _ => "run=1; seq=1; op=0.001" };
        using CollaborativeHandler handler = servers.Handler(1, it => it with { MostWait = TimeSpan.Zero });
        using HttpClient client = new(handler);
        for (int i = 0; i < 2; i++)
        {
            using HttpResponseMessage fine = await client.GetAsync("http://bank/");
            fine.StatusCode.ShouldBe(HttpStatusCode.OK);
        }

        using HttpResponseMessage refused = await client.GetAsync("http://bank/");
        refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        refused.Headers.RetryAfter!.Delta.ShouldNotBeNull();
        handler.Shed.ShouldBe(1);
    }

    [Fact]
    public async Task Answer_NotReadYet_IsInFlightUntilItIsDisposed()
    {
        Servers servers = new();
        using CollaborativeHandler handler = servers.Handler(1);
        using HttpClient client = new(handler);
        HttpResponseMessage response = await client.GetAsync("http://bank/", HttpCompletionOption.ResponseHeadersRead);
        handler.Backends[0].InFlight.ShouldBe(1);
        response.Content.Headers.ContentType!.MediaType.ShouldBe("text/plain");
        response.Dispose();
        response.Dispose();
        handler.Backends[0].InFlight.ShouldBe(0);
    }

    [Fact]
    public async Task Disposed_WhileRequestsWait_EndsThem()
    {
        Servers servers = new() { Report = _ => "run=1; seq=1; op=0.001" };
        CollaborativeHandler handler = servers.Handler(1, it => it with { MostWait = TimeSpan.FromMinutes(10) });
        HttpClient client = new(handler);
        await client.GetStringAsync("http://bank/");
        await client.GetStringAsync("http://bank/");
        Task[] waiting = [.. Enumerable.Range(0, 3).Select(_ => client.GetStringAsync("http://bank/"))];
        client.Dispose();
        foreach (Task request in waiting)
        {
            await Should.ThrowAsync<OperationCanceledException>(() => request.WaitAsync(TimeSpan.FromSeconds(30)));
        }

        handler.Backends[0].InFlight.ShouldBe(0);
    }

    [Fact]
    public async Task Picker_DisposedWhileRequestsWait_EndsThem()
    {
        BackendPicker picker = new(new CollaborativeBalancer());
        BackendState[] backends = [new("b", TimeSpan.Zero)];
        picker.Take(backends[0], "run=1; seq=1; op=0.001").ShouldBe(ReportVerdict.Taken);
        while (picker.Pick(backends).IsChosen)
        {
        }

        Task[] waiting = [.. Enumerable.Range(0, 3).Select(_ => picker.PickAsync(backends, TimeSpan.FromMinutes(10), 10, default).AsTask())];
        picker.Waiting.ShouldBe(3);
        picker.Dispose();
        foreach (Task request in waiting)
        {
            await Should.ThrowAsync<ObjectDisposedException>(() => request.WaitAsync(TimeSpan.FromSeconds(30)));
        }

        picker.Waiting.ShouldBe(0);
        (await picker.PickAsync(backends, TimeSpan.FromMinutes(10), 10, default)).IsChosen.ShouldBeFalse("it does not wait any more");
    }

    [Fact]
    public async Task Picker_RequestsThatMayGoToOneOnly_HoldNoOthersUp()
    {
        // All stood in one line, so that one session at a backend at its limit delayed every request of the cluster.
        using BackendPicker picker = new(new CollaborativeBalancer());
        BackendState[] backends = [new("full", TimeSpan.Zero), new("free", TimeSpan.Zero)];
        picker.Take(backends[0], "run=1; seq=1; op=0.001").ShouldBe(ReportVerdict.Taken);
        while (picker.Pick([backends[0]]).IsChosen)
        {
        }

        using CancellationTokenSource end = new();
        Task[] waiting = [.. Enumerable.Range(0, 3).Select(_ => picker.PickAsync([backends[0]], TimeSpan.FromMinutes(10), 10, end.Token).AsTask())];
        picker.Waiting.ShouldBe(3);
        ValueTask<BalancerChoice> other = picker.PickAsync(backends, TimeSpan.FromMinutes(10), 10, default);
        other.IsCompleted.ShouldBeTrue();
        (await other).Index.ShouldBe(1);
        await end.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(() => Task.WhenAll(waiting));
        picker.Waiting.ShouldBe(0);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Answer_ReadAsAStream_IsInFlightUntilThatIsReadOrDisposed(bool isRead)
    {
        Servers servers = new();
        using CollaborativeHandler handler = servers.Handler(1);
        using HttpClient client = new(handler);

        // Nobody has the answer to dispose it.
        Stream stream = await client.GetStreamAsync("http://bank/");
        handler.Backends[0].InFlight.ShouldBe(1);
        if (isRead)
        {
            using StreamReader reader = new(stream, leaveOpen: true);
            (await reader.ReadToEndAsync()).ShouldBe("ok");
        }
        else
        {
            stream.ReadByte().ShouldBe('o');
            handler.Backends[0].InFlight.ShouldBe(1);
            await stream.DisposeAsync();
        }

        handler.Backends[0].InFlight.ShouldBe(0);
        stream.Dispose();
        handler.Backends[0].InFlight.ShouldBe(0);
    }

    [Fact]
    public async Task Answer_ReadSynchronously_IsAsWithoutTheHandler()
    {
        Servers servers = new();
        using CollaborativeHandler handler = servers.Handler(1);
        using HttpClient client = new(handler);
        using HttpResponseMessage response = await client.GetAsync("http://bank/", HttpCompletionOption.ResponseHeadersRead);
        using StreamReader reader = new(response.Content.ReadAsStream());
        reader.ReadToEnd().ShouldBe("ok");
        handler.Backends[0].InFlight.ShouldBe(0);
        using HttpResponseMessage copied = await client.GetAsync("http://bank/", HttpCompletionOption.ResponseHeadersRead);
        using MemoryStream copy = new();
        copied.Content.CopyTo(copy, context: null, default);
        copy.Length.ShouldBe(2);
        handler.Backends[0].InFlight.ShouldBe(0);
    }

    [Fact]
    public async Task Cancelled_IsNotInFlight()
    {
        Servers servers = new() { Never = true };
        using CollaborativeHandler handler = servers.Handler(1);
        using HttpClient client = new(handler);
        using CancellationTokenSource cancel = new();
        Task<string> request = client.GetStringAsync("http://bank/", cancel.Token);
        cancel.Cancel();
        await Should.ThrowAsync<OperationCanceledException>(() => request);
        handler.Backends[0].InFlight.ShouldBe(0);
    }

    [Theory]
    [InlineData("ftp://b")]
    [InlineData("http://b/path")]
    [InlineData("/relative")]
    public void Options_BadAddress_IsNamed(string address) => Should.Throw<ArgumentException>(
        () => new CollaborativeHandler(new CollaborativeHandlerOptions { Backends = [new Uri(address, UriKind.RelativeOrAbsolute)] })).Message.ShouldContain(
            address);

    /// <summary>Has another address each time that it is read.</summary>
    private sealed class ChangingList : IReadOnlyList<Uri>
    {
        private int _reads;

        public int Count => 1;

        public Uri this[int index] => new($"http://b{++_reads}:81");

        public IEnumerator<Uri> GetEnumerator()
        {
            yield return this[0];
        }

        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
    }

    private sealed class Servers : HttpMessageHandler
    {
        public List<Uri> Asked { get; } = [];

        public Func<string, string?> Report { get; init; } = static _ => null;

        public Func<string, bool> IsDead { get; init; } = static _ => false;

        /// <summary>Whether connecting to it takes too long.</summary>
        public Func<string, bool> IsSilent { get; init; } = static _ => false;

        /// <summary>What it throws in place of an answer; <see langword="null"/> for nothing.</summary>
        public Func<string, HttpRequestError?> Breaks { get; init; } = static _ => null;

        public bool Never { get; init; }

        public Func<string, int> Status { get; init; } = static _ => 200;

        /// <summary>The status of the call over gRPC; <see langword="null"/> for none.</summary>
        public Func<string, string?> Grpc { get; init; } = static _ => null;

        public Func<string, HttpContent> Content { get; init; } = static _ => new StringContent("ok");

        public HttpClient Client(int backends) => new(Handler(backends));

        public CollaborativeHandler Handler(int backends, Func<CollaborativeHandlerOptions, CollaborativeHandlerOptions>? change = null)
        {
            CollaborativeHandlerOptions options = new()
            {
                Backends = [.. Enumerable.Range(0, backends).Select(i => new Uri($"http://b{i}:81"))],
                DownTime = TimeSpan.FromMinutes(10),
            };
            return new CollaborativeHandler((change ?? (static it => it))(options)) { InnerHandler = this };
        }

        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            lock (Asked)
            {
                Asked.Add(request.RequestUri!);
            }

            if (Never)
            {
                await Task.Delay(Timeout.Infinite, cancellationToken);
            }

            string host = request.RequestUri!.Host;
            if (IsDead(host))
            {
                throw new HttpRequestException(HttpRequestError.ConnectionError, "refused");
            }

            if (Breaks(host) is { } error)
            {
                throw new HttpRequestException(error, "broke off");
            }

            if (IsSilent(host))
            {
                throw new TaskCanceledException("connect timeout", new TimeoutException());
            }

            int status = Status(host);
            string? grpc = Grpc(host);
            if (status == 200 && grpc is null)
            {
                // Good work takes time, failing takes none.
                await Task.Delay(1, cancellationToken);
            }

            HttpResponseMessage response = new((HttpStatusCode)status) { Content = Content(host) };
            if (grpc is not null)
            {
                response.Headers.Add(GrpcStatus.HeaderName, grpc);
            }

            if (Report(host) is { } report)
            {
                response.Headers.Add(LoadReport.HeaderName, report);
            }

            return response;
        }
    }
}
