using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace AdaptivePool.Sample.Cluster;

/// <summary>HAProxy with a configuration of its own in a temporary folder; nothing of ours is in its way.</summary>
internal sealed class HaproxyFront : IAsyncDisposable
{
    private readonly Process _process;
    private readonly List<string> _said;
    private readonly string _folder;

    private HaproxyFront(Process process, List<string> said, string folder, string url) => (_process, _said, _folder, Url) = (process, said, folder, url);

    public string Url { get; }

    /// <exception cref="UsageException">HAProxy is not installed.</exception>
    public static string Find() =>
        new[] { "/usr/sbin/haproxy", "/usr/local/sbin/haproxy", "/usr/bin/haproxy" }.FirstOrDefault(File.Exists)
        ?? throw new UsageException("HAProxy is not installed. On Debian or Ubuntu: sudo apt-get install --no-install-recommends haproxy");

    /// <summary>Starts it.</summary>
    /// <param name="policy"><c>agent</c> for round robin with the backends' agent check; otherwise the name of a balance algorithm.</param>
    /// <param name="backends">Address and agent's port of each backend.</param>
    public static async Task<HaproxyFront> StartAsync(string policy, IReadOnlyList<(Uri Address, int AgentPort)> backends)
    {
        string folder = Directory.CreateTempSubdirectory("adaptivepool-cluster").FullName;
        int port = FreePort();
        string file = Path.Combine(folder, "haproxy.cfg");
        await File.WriteAllTextAsync(file, Configuration(policy, port, backends));
        ProcessStartInfo start = new(Find()) { RedirectStandardError = true };
        start.ArgumentList.Add("-db");
        start.ArgumentList.Add("-f");
        start.ArgumentList.Add(file);
        Process process = Process.Start(start)!;
        List<string> said = [];
        process.ErrorDataReceived += (_, line) =>
        {
            lock (said)
            {
                said.Add(line.Data ?? "");
            }
        };
        process.BeginErrorReadLine();
        HaproxyFront front = new(process, said, folder, $"http://127.0.0.1:{port.ToString(CultureInfo.InvariantCulture)}");
        await front.WaitUntilItListensAsync(port);
        return front;
    }

    /// <summary>What is in docs/scale-out.md, with these backends.</summary>
    public static string Configuration(string policy, int port, IReadOnlyList<(Uri Address, int AgentPort)> backends)
    {
        string balance = policy switch
        {
            "agent" => "roundrobin",
            "random" => "random(2)",
            _ => policy,
        };
        IEnumerable<string> servers = backends.Select((b, i) => string.Create(
            CultureInfo.InvariantCulture,
            $"    server bank{i} {b.Address.Host}:{b.Address.Port}{(policy == "agent" ? $" maxconn 1000 agent-check agent-port {b.AgentPort} agent-inter 500ms" : "")}"));
        return string.Create(CultureInfo.InvariantCulture, $"""
            global
                maxconn 4000

            defaults
                mode http
                timeout connect 5s
                timeout client 60s
                timeout server 60s
                timeout queue 5s

            frontend front
                bind 127.0.0.1:{port}
                default_backend bank

            backend bank
                balance {balance}
                option redispatch
            {string.Join('\n', servers)}

            """);
    }

    public async ValueTask DisposeAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync();
        _process.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private async Task WaitUntilItListensAsync(int port)
    {
        const int Tries = 200;
        for (int i = 0; i < Tries; i++)
        {
            if (_process.HasExited)
            {
                _process.WaitForExit();
                lock (_said)
                {
                    throw new InvalidOperationException($"HAProxy ended with {_process.ExitCode} at its start.\n{string.Join('\n', _said)}");
                }
            }

            try
            {
                using TcpClient client = new();
                await client.ConnectAsync(IPAddress.Loopback, port);
                return;
            }
            catch (SocketException)
            {
                await Task.Delay(50);
            }
        }

        throw new InvalidOperationException("HAProxy did not listen in time.");
    }

    /// <summary>A port of the loopback interface that nobody uses at the moment.</summary>
    public static int FreePort()
    {
        using TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
