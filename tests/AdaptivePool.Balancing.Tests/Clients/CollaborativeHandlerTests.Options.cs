using AdaptivePool.Balancing.Clients;

namespace AdaptivePool.Balancing.Tests.Clients;

/// <content>What the options may be.</content>
public sealed partial class CollaborativeHandlerTests
{
    [Fact]
    public void Options_NoneOrTwice_AreRefused()
    {
        Should.Throw<ArgumentException>(() => new CollaborativeHandler(new CollaborativeHandlerOptions { Backends = [] }));
        Should.Throw<ArgumentException>(() => new CollaborativeHandler(new CollaborativeHandlerOptions { Backends = [new("http://b"), new("http://b")] }));
    }

    [Fact]
    public void Options_TimesThatNoClockCanTell_AreNamed()
    {
        // They were accepted, and the first request that waited or was refused ended in an overflow.
        CollaborativeHandlerOptions options = new() { Backends = [new("http://b")] };
        Should.Throw<ArgumentException>(() => new CollaborativeHandler(options with { MostWait = TimeSpan.MaxValue })).Message
            .ShouldContain("MostWait is '10675199.02:48:05.4775807'; allowed: zero to a day");
        Should.Throw<ArgumentException>(() => new CollaborativeHandler(options with { DownTime = TimeSpan.MaxValue })).Message.ShouldContain("DownTime is");
        Should.Throw<ArgumentOutOfRangeException>(() => new CollaborativeBalancer(new CollaborativeBalancerOptions { Burst = TimeSpan.MaxValue })).Message
            .ShouldContain("; allowed: zero to a day");
        using BackendPicker picker = new(new CollaborativeBalancer());
        BackendState backend = new("b", TimeSpan.Zero);
        Should.Throw<ArgumentOutOfRangeException>(() => picker.EndUnsent(backend, TimeSpan.MaxValue)).Message
            .ShouldContain("downTime is '10675199.02:48:05.4775807'; allowed: zero to a day");
        Should.Throw<ArgumentOutOfRangeException>(() => picker.PickAsync([backend], TimeSpan.MaxValue, 1, CancellationToken.None).AsTask().GetAwaiter()
            .GetResult()).Message.ShouldContain("; allowed: zero to a day");
        Should.Throw<ArgumentOutOfRangeException>(() => picker.PickAsync([backend], TimeSpan.Zero, -1, CancellationToken.None).AsTask().GetAwaiter()
            .GetResult()).Message.ShouldStartWith("mostWaiting is '-1'; allowed: zero or more.");
    }

    [Fact]
    public async Task Options_ListThatChangesAfterwards_ChangesNothing()
    {
        Servers servers = new();
        List<Uri> backends = [new("http://b0:81"), new("http://b1:81")];
        using HttpClient client = new(new CollaborativeHandler(new CollaborativeHandlerOptions { Backends = backends }) { InnerHandler = servers });
        backends.Clear();
        (await client.GetStringAsync("http://bank/")).ShouldBe("ok");
    }

    [Fact]
    public async Task Options_ListThatChangesMeanwhile_IsReadOnce()
    {
        Servers servers = new();
        CollaborativeHandlerOptions options = new() { Backends = new ChangingList() };
        using CollaborativeHandler handler = new(options) { InnerHandler = servers };
        using HttpClient client = new(handler);
        (await client.GetStringAsync("http://bank/")).ShouldBe("ok");
        handler.Backends.Select(static it => it.Name).ShouldBe(["b1:81"]);
        servers.Asked.ShouldHaveSingleItem().Authority.ShouldBe("b1:81");
    }

    [Fact]
    public async Task Send_AddressThatIsNotAbsolute_IsNotInFlight()
    {
        // An HttpMessageInvoker has no address of its own. Each such request was in flight for ever.
        using CollaborativeHandler handler = new(new CollaborativeHandlerOptions { Backends = [new("http://b0:81")] }) { InnerHandler = new Servers() };
        using HttpMessageInvoker client = new(handler);
        using HttpRequestMessage request = new(HttpMethod.Get, new Uri("/path", UriKind.Relative));
        await Should.ThrowAsync<InvalidOperationException>(() => client.SendAsync(request, CancellationToken.None));
        handler.Backends[0].InFlight.ShouldBe(0);
    }

    [Fact]
    public void Options_NoList_IsNamed() =>
        Should.Throw<ArgumentOutOfRangeException>(() => new CollaborativeHandler(new CollaborativeHandlerOptions { Backends = null! }))
            .Message.ShouldStartWith("Backends is 'none'; allowed: at least one address.");
}
