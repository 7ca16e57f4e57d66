using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using System.Text;
using AdaptivePool.Hosting.Tests.Apps;

namespace AdaptivePool.Hosting.Tests.Load;

/// <summary>HAProxy with a configuration of its own in a temporary folder; ends with the test.</summary>
internal sealed class RunningHaproxy : IAsyncDisposable
{
    private readonly Process _process;
    private readonly Task<string> _said;
    private readonly string _folder;

    private RunningHaproxy(Process process, string folder)
    {
        (_process, _folder) = (process, folder);
        _said = process.StandardError.ReadToEndAsync();
    }

    private string Admin => Path.Combine(_folder, "admin");

    /// <summary>Starts it, and waits until it answers its administrator.</summary>
    /// <param name="backend">The section of its backend, named bank.</param>
    /// <param name="port">Where it listens for clients.</param>
    public static async Task<RunningHaproxy> StartAsync(string backend, int port)
    {
        var folder = Directory.CreateTempSubdirectory("haproxy-").FullName;
        var file = Path.Combine(folder, "haproxy.cfg");
        await File.WriteAllTextAsync(file, string.Create(CultureInfo.InvariantCulture, $"""
            global
                maxconn 400
                stats socket {Path.Combine(folder, "admin")} mode 600 level admin

            defaults
                mode http
                timeout connect 5s
                timeout client 60s
                timeout server 60s
                timeout queue 5s

            frontend front
                bind 127.0.0.1:{port}
                default_backend bank

            {backend}

            """));
        var start = new ProcessStartInfo(HaproxyProgram.Path ?? throw new InvalidOperationException("HAProxy is not installed."), ["-db", "-f", file])
        {
            RedirectStandardError = true,
        };
        var running = new RunningHaproxy(Process.Start(start)!, folder);
        try
        {
            await running.WaitAsync(static _ => true);
            return running;
        }
        catch
        {
            await running.DisposeAsync();
            throw;
        }
    }

    /// <summary>Waits until the limit of a server is as wanted.</summary>
    /// <returns>The limit.</returns>
    public Task<int> WaitForLimitAsync(string server, Func<int, bool> isWanted) => WaitAsync(
        answer => isWanted(LimitOf(answer, server)) ? LimitOf(answer, server) : (int?)null);

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        await _process.WaitForExitAsync();
        _process.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private async Task WaitAsync(Func<string, bool> isWanted) => await WaitAsync<int>(answer => isWanted(answer) ? 0 : null);

    private async Task<T> WaitAsync<T>(Func<string, T?> read)
        where T : struct
    {
        var begin = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(begin) < TestApp.Patience)
        {
            if (_process.HasExited)
            {
                throw new InvalidOperationException($"HAProxy ended:\n{await _said}");
            }

            if (await AskAsync() is { } answer && read(answer) is { } value)
            {
                return value;
            }

            await Task.Delay(20);
        }

        throw new TimeoutException("HAProxy did not get there in time.");
    }

    private async Task<string?> AskAsync()
    {
        try
        {
            using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(Admin));
            await socket.SendAsync("show stat\n"u8.ToArray());
            using var reader = new StreamReader(new NetworkStream(socket), Encoding.ASCII);
            return await reader.ReadToEndAsync();
        }
        catch (SocketException)
        {
            // It does not listen yet.
            return null;
        }
    }

    /// <summary>The column "slim" of a row.</summary>
    private static int LimitOf(string answer, string server)
    {
        var rows = answer.Split('\n').Select(static row => row.Split(',')).ToArray();
        var column = Array.IndexOf(rows[0], "slim");
        var cell = rows.Single(row => row.Length > column && row[0] == "bank" && row[1] == server)[column];
        return cell.Length == 0 ? 0 : int.Parse(cell, CultureInfo.InvariantCulture);
    }
}
