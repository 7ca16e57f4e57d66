using System.Net;
using AdaptivePool.Balancing.Clients;

namespace AdaptivePool.Balancing.Tests.Clients;

/// <content>What answers say of a backend, and when they are over.</content>
public sealed partial class CollaborativeHandlerTests
{
    [Theory]
    [InlineData(500, null)]
    [InlineData(503, null)]
    [InlineData(429, null)]
    [InlineData(200, "14")]
    [InlineData(200, "2")]
    public async Task FailingBackend_ThatAnswersAtOnce_GetsNoMoreThanOthers(int status, string? grpc)
    {
        // It had the least work of all: 73,792 of 74,067 requests went to it, where a round robin would have sent it a third.
        Servers servers = new() { Status = host => host == "b0" ? status : 200, Grpc = host => host == "b0" ? grpc : null };
        using CollaborativeHandler handler = servers.Handler(3);
        using HttpClient client = new(handler);
        Task[] callers = [.. Enumerable.Range(0, 8).Select(_ => Task.Run(async () =>
        {
            for (int i = 0; i < 50; i++)
            {
                using HttpResponseMessage response = await client.GetAsync("http://bank/");
            }
        }))];
        await Task.WhenAll(callers);

        servers.Asked.Count(static uri => uri.Host == "b0").ShouldBeLessThan(400 / 3);
        handler.Backends.ShouldAllBe(static it => it.InFlight == 0);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task BreakingBackend_ThatFailsAtOnce_GetsNoMoreThanOthers(bool isInContent)
    {
        // Whoever resets connections, or breaks off in the middle of an answer, had the least work of all.
        Servers servers = new()
        {
            Breaks = host => host == "b0" && !isInContent ? HttpRequestError.ResponseEnded : null,
            Content = host => host == "b0" ? new StreamContent(new BrokenStream()) : new StringContent("ok"),

            // What it begins takes no time.
            Status = static host => host == "b0" ? 206 : 200,
        };
        using CollaborativeHandler handler = servers.Handler(3);
        using HttpClient client = new(handler);
        await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(async () =>
        {
            for (int i = 0; i < 50; i++)
            {
                try
                {
                    (await client.GetStringAsync("http://bank/")).ShouldBe("ok");
                }
                catch (HttpRequestException)
                {
                    // The next one may go elsewhere.
                }
            }
        })));

        servers.Asked.Count(static uri => uri.Host == "b0").ShouldBeInRange(1, 400 / 3);
        handler.Backends.ShouldAllBe(static it => it.InFlight == 0);
    }

    [Fact]
    public async Task FailingBackend_ThatIsWellAgain_GetsItsShare()
    {
        bool fails = true;
        Servers servers = new() { Status = host => host == "b0" && Volatile.Read(ref fails) ? 503 : 200 };
        using CollaborativeHandler handler = servers.Handler(2);
        using HttpClient client = new(handler);
        for (int i = 0; i < 20; i++)
        {
            using HttpResponseMessage response = await client.GetAsync("http://bank/");
        }

        Volatile.Write(ref fails, false);
        long start = System.Diagnostics.Stopwatch.GetTimestamp();
        int before = servers.Asked.Count;
        while (servers.Asked.Skip(before).Count(static uri => uri.Host == "b0") < 20)
        {
            System.Diagnostics.Stopwatch.GetElapsedTime(start).ShouldBeLessThan(TimeSpan.FromSeconds(30));
            (await client.GetStringAsync("http://bank/")).ShouldBe("ok");
        }
    }

    [Theory]
    [InlineData("HEAD", 200)]
    [InlineData("GET", 204)]
    [InlineData("GET", 304)]
    public async Task Answer_WithoutContent_IsOverThoughNobodyDisposesIt(string method, int status)
    {
        Servers servers = new() { Status = _ => status };
        using CollaborativeHandler handler = servers.Handler(1);
        using HttpClient client = new(handler);
        for (int i = 0; i < 10; i++)
        {
            _ = await client.SendAsync(new HttpRequestMessage(new HttpMethod(method), "http://bank/"), HttpCompletionOption.ResponseHeadersRead);
        }

        handler.Backends[0].InFlight.ShouldBe(0);
    }

    [Fact]
    public async Task Answer_ThatNobodyKnowsAnyMore_IsOver()
    {
        using CollaborativeHandler handler = new Servers().Handler(1);
        using HttpClient client = new(handler);
        await ForgetAsync(client);
        for (int i = 0; i < 100 && handler.Backends[0].InFlight > 0; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            await Task.Delay(10);
        }

        handler.Backends[0].InFlight.ShouldBe(0);

        static async Task ForgetAsync(HttpClient client) => _ = await client.GetAsync("http://bank/", HttpCompletionOption.ResponseHeadersRead);
    }

    [Fact]
    public async Task Connection_ThatHasBecomeOneOfItsOwn_CanBeWrittenToAndSaysNothingOfSpeed()
    {
        using MemoryStream wire = new();
        Servers servers = new() { Status = static _ => 101, Content = _ => new WireContent(wire) };
        using CollaborativeHandler handler = servers.Handler(1);
        using HttpClient client = new(handler);
        using (HttpResponseMessage response = await client.GetAsync("http://bank/", HttpCompletionOption.ResponseHeadersRead))
        {
            await using Stream stream = await response.Content.ReadAsStreamAsync();
            stream.CanWrite.ShouldBeTrue();
            await stream.WriteAsync(new byte[] { 1, 2, 3 });
            handler.Backends[0].InFlight.ShouldBe(1);
        }

        wire.ToArray().ShouldBe([1, 2, 3]);
        handler.Backends[0].InFlight.ShouldBe(0);
        handler.Backends[0].AnswerSeconds.ShouldBe(0);
    }

    [Fact]
    public async Task Answer_ThatItsReaderTakesLongFor_SaysNothingOfSpeed()
    {
        HandClock clock = new();
        using CollaborativeHandler handler = new Servers().Handler(1, it => it with { Clock = clock });
        using HttpClient client = new(handler);
        using (await client.GetAsync("http://bank/", HttpCompletionOption.ResponseHeadersRead))
        {
            clock.Pass(1_500);
        }

        handler.Backends[0].AnswerSeconds.ShouldBeLessThan(1.5);
    }

    /// <summary>An answer that is broken off.</summary>
    private sealed class BrokenStream : MemoryStream
    {
        // Otherwise its length is told as that of the content, which is none then.
        public override bool CanSeek => false;

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            ValueTask.FromException<int>(new IOException("Connection reset by peer"));

        public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
            Task.FromException<int>(new IOException("Connection reset by peer"));
    }

    /// <summary>What the handler of the framework gives for a connection that has become one of its own: its stream goes both ways.</summary>
    private sealed class WireContent(Stream wire) : HttpContent
    {
        protected override Task<Stream> CreateContentReadStreamAsync() => Task.FromResult(wire);

        protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => throw new NotSupportedException();

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
