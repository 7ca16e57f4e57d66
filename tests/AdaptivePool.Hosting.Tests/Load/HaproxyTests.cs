using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text.RegularExpressions;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;

namespace AdaptivePool.Hosting.Tests.Load;

/// <summary>HAProxy with the configuration of docs/scale-out.md, before two backends whose agents it asks.</summary>
public sealed partial class HaproxyTests
{
    private const int Configured = 1_000;

    [HaproxyFact]
    public Task Overload_OfOneBackend_IsWhatHaproxyLimitsItTo() => RunAsync(async (small, front, client) =>
    {
        // Without load the agent tells the most that it may, and both are used.
        await front.WaitForLimitAsync("bank0", static limit => limit == Configured);
        HashSet<string> answered = [];
        for (var i = 0; i < 4; i++)
        {
            answered.Add(await client.GetStringAsync("/work"));
        }

        answered.ShouldBe(["small", "large"], ignoreOrder: true);
        await OverloadAsync(small, async () =>
        {
            (await front.WaitForLimitAsync("bank0", static limit => limit < Configured)).ShouldBeInRange(1, 16);
            await front.WaitForLimitAsync("bank1", static limit => limit == Configured);
            (await client.GetStringAsync("/work")).ShouldBeOneOf("small", "large");
        });
    });

    [HaproxyFact]
    public Task Streams_OpenAtAnOverloadedBackend_LeaveItPlacesForRequests() => RunAsync(async (small, front, client) =>
    {
        // HAProxy counts them. With as many open as the backend could have requests at once, it sent nothing there until they ended.
        var streams = await Task.WhenAll(Enumerable.Range(0, 60).Select(_ => client.GetStreamAsync("/stream")));
        await OverloadAsync(small, () => front.WaitForLimitAsync("bank0", static limit => limit is > 30 and < Configured));
        Array.ForEach(streams, static it => it.Dispose());
    });

    [HaproxyFact]
    public Task Agents_OnAllAddressesOfIPv6_AreAskedByIPv4AndByIPv6() => RunAsync(
        static async (_, front, _) =>
        {
            await front.WaitForLimitAsync("bank0", static limit => limit == 77);
            await front.WaitForLimitAsync("bank1", static limit => limit == 77);
        },
        static load => (load.AgentAddress, load.AgentMaxConnections) = (IPAddress.IPv6Any, 77),
        asked: "agent-addr ::1 ");

    /// <summary>Runs a test with HAProxy before a small backend, which has two threads, and a large one.</summary>
    /// <param name="test">Is given the small backend, HAProxy and a client of it.</param>
    /// <param name="load">Sets further options of both.</param>
    /// <param name="asked">Where the agent of the large one is asked, if not at the address of its server.</param>
    private static async Task RunAsync(
        Func<TestApp, RunningHaproxy, HttpClient, Task> test, Action<LoadReportingOptions>? load = null, string asked = "")
    {
        int[] ports = FreePorts(3);
        await using var small = await StartAsync("small", ports[0], static pool => pool.MaxThreads = 2, load);
        await using var large = await StartAsync("large", ports[1], static _ => { }, load);
        var section = Documented((small.Address, "", ports[0]), (large.Address, asked, ports[1]));
        await using var front = await RunningHaproxy.StartAsync(section, ports[2]);
        using var client = new HttpClient(new SocketsHttpHandler { UseProxy = false });
        client.BaseAddress = new Uri($"http://127.0.0.1:{ports[2]}");
        client.Timeout = TestApp.Patience;
        await test(small, front, client);
    }

    /// <summary>Asks a backend for more than it can do while something else is done.</summary>
    private static async Task OverloadAsync(TestApp backend, Func<Task> meanwhile)
    {
        using var stop = new CancellationTokenSource();
        var clients = Enumerable.Range(0, 16).Select(_ => Task.Run(async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                await backend.Client.GetStringAsync("/work");
            }
        })).ToArray();
        await meanwhile();
        stop.Cancel();
        await Task.WhenAll(clients).WaitAsync(TestApp.Patience);
    }

    /// <summary>The section of the page, with these servers in place of its own.</summary>
    private static string Documented(params (Uri Address, string Asked, int Agent)[] servers)
    {
        var section = Section().Match(File.ReadAllText(Path.Combine(Root(), "docs", "scale-out.md"))).Groups["section"].Value;
        section.ShouldContain("agent-check");
        for (var i = 0; i < servers.Length; i++)
        {
            var (address, asked, agent) = servers[i];
            section = section.Replace($"10.0.0.{i + 1}:8080", address.Authority, StringComparison.Ordinal);
            var line = section.Split('\n').Single(it => it.Contains(address.Authority, StringComparison.Ordinal));

            // With its keyword: an address may have these digits, too.
            line.ShouldContain("agent-port 9101");
            var changed = line.Replace(
                "agent-port 9101", string.Create(CultureInfo.InvariantCulture, $"{asked}agent-port {agent}"), StringComparison.Ordinal);
            section = section.Replace(line, changed, StringComparison.Ordinal);
        }

        section.ShouldNotContain("10.0.0.");
        return section;
    }

    private static string Root()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (!File.Exists(Path.Combine(folder.FullName, "AdaptivePool.sln")))
        {
            folder = folder.Parent.ShouldNotBeNull();
        }

        return folder.FullName;
    }

    private static int[] FreePorts(int count)
    {
        // Held together so that they differ.
        var listeners = Enumerable.Range(0, count).Select(static _ => new TcpListener(IPAddress.Loopback, 0)).ToArray();
        Array.ForEach(listeners, static it => it.Start());
        int[] ports = [.. listeners.Select(static it => ((IPEndPoint)it.LocalEndpoint).Port)];
        Array.ForEach(listeners, static it => it.Dispose());
        return ports;
    }

    private static Task<TestApp> StartAsync(string name, int agent, Action<AdaptivePoolOptions> pool, Action<LoadReportingOptions>? load) => TestApp.StartAsync(
        app =>
        {
            app.UseLoadReporting();
            app.UseAdaptivePool();
            app.MapGet("/work", () =>
            {
                Thread.Sleep(10);
                return name;
            });
            app.MapGet("/stream", static async context =>
            {
                await context.Response.WriteAsync("begun");
                await context.Response.Body.FlushAsync();
                await Task.Delay(Timeout.Infinite, context.RequestAborted).ContinueWith(static _ => { }, TaskScheduler.Default);
            });
        },
        builder =>
        {
            builder.Services.AddAdaptivePool(pool);
            builder.Services.AddLoadReporting(it =>
            {
                it.AgentPort = agent;
                load?.Invoke(it);
            });
        });

    [GeneratedRegex("```\n(?<section>backend bank\n.*?)```", RegexOptions.Singleline)]
    private static partial Regex Section();
}
