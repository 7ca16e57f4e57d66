using System.Diagnostics;
using System.Net.Sockets;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Bursts;

/// <summary>A MariaDB server of its own in a temporary folder, with its thread pool and without tables, which only this user can reach; disposing ends and
/// removes it.</summary>
public sealed class MariaDbServer : IAsyncDisposable
{
    /// <summary>What to do when the program is absent.</summary>
    public const string HowToInstall =
        "MariaDB's program mariadbd was not found on PATH or in /usr/sbin. Install it, for example: apt-get install -y mariadb-server-core";

    /// <summary>The server refuses to run as root.</summary>
    private const string User = "nobody";

    private static readonly TimeSpan s_startLimit = TimeSpan.FromSeconds(30);
    private readonly Process _process;
    private readonly string _folder;

    private MariaDbServer(Process process, string folder)
    {
        _process = process;
        _folder = folder;
    }

    /// <summary>The server's process.</summary>
    public int ProcessId => _process.Id;

    /// <summary>Where it listens.</summary>
    public string SocketPath => Path.Combine(_folder, "socket");

    /// <summary>Path of the program; null when it is absent.</summary>
    public static string? Find() =>
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
            .Append("/usr/sbin").Select(static folder => Path.Combine(folder, "mariadbd")).FirstOrDefault(File.Exists);

    /// <summary>Starts a server.</summary>
    /// <param name="program">Path of the program.</param>
    /// <param name="idleTimeout">How long its superfluous threads stay, in whole seconds.</param>
    /// <param name="cancellationToken">Ends the start.</param>
    /// <exception cref="ScenarioUnavailableException">It does not start.</exception>
    public static async Task<MariaDbServer> StartAsync(string program, TimeSpan idleTimeout, CancellationToken cancellationToken)
    {
        string folder = Directory.CreateTempSubdirectory("adaptivepool-mariadb-").FullName;
        string data = Directory.CreateDirectory(Path.Combine(folder, "data")).FullName;
        if (Environment.IsPrivilegedProcess)
        {
            using Process owner = Process.Start("chown", ["-R", User, folder]);
            await owner.WaitForExitAsync(cancellationToken);
        }

        // No network and no password: the folder is this user's alone. No InnoDB: no statement touches a table.
        ProcessStartInfo start = new(program,
        [
            "--no-defaults",
            .. Environment.IsPrivilegedProcess ? new[] { $"--user={User}" } : [],
            $"--datadir={data}",
            $"--socket={Path.Combine(folder, "socket")}",
            $"--pid-file={Path.Combine(folder, "pid")}",
            $"--log-error={Path.Combine(folder, "log")}",
            $"--secure-file-priv={folder}",
            "--skip-networking",
            "--skip-grant-tables",
            "--innodb=OFF",
            "--default-storage-engine=Aria",
            "--max-connections=400",
            "--table-open-cache=64",
            "--thread-handling=pool-of-threads",
            $"--thread-pool-idle-timeout={(int)idleTimeout.TotalSeconds}",
        ]);
        MariaDbServer server = new(Process.Start(start) ?? throw new ScenarioUnavailableException($"{program} could not be started."), folder);
        try
        {
            await server.WaitAsync(cancellationToken);
            return server;
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    /// <summary>Measures turns per millisecond of a statement that computes: the fastest of some.</summary>
    public double Calibrate()
    {
        const int Turns = 100_000;
        using MariaDbConnection connection = new(SocketPath);
        byte[] command = MariaDbConnection.Command(MariaDbBurstServer.Turns(Turns));
        double best = 0;
        for (int i = 0; i < 10; i++)
        {
            long start = Stopwatch.GetTimestamp();
            connection.Send(command);
            connection.ReadAnswer();
            best = Math.Max(best, Turns / Stopwatch.GetElapsedTime(start).TotalMilliseconds);
        }

        return best;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        // Nothing is kept, so it need not be asked.
        _process.Kill();
        await _process.WaitForExitAsync();
        _process.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private async Task WaitAsync(CancellationToken cancellationToken)
    {
        for (long start = Stopwatch.GetTimestamp(); ; await Task.Delay(50, cancellationToken))
        {
            try
            {
                using MariaDbConnection connection = new(SocketPath);
                return;
            }
            catch (SocketException exception) when (_process.HasExited || Stopwatch.GetElapsedTime(start) > s_startLimit)
            {
                string log = Path.Combine(_folder, "log");
                throw new ScenarioUnavailableException($"MariaDB did not start: {(File.Exists(log) ? File.ReadAllText(log) : exception.Message)}");
            }
            catch (SocketException)
            {
                // Not yet.
            }
        }
    }
}
