using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>A PostgreSQL cluster of its own in a temporary folder on a free port of 127.0.0.1; disposing stops and removes it.</summary>
public sealed class PostgresCluster : IAsyncDisposable
{
    /// <summary>Rows of pgbench_branches; ten times as many tellers, a hundred thousand times as many accounts.</summary>
    public const int Scale = 10;

    private const string User = "postgres";
    private const int RemoveAttempts = 50;
    private readonly IReadOnlyDictionary<string, string> _programs;
    private readonly string _folder;
    private readonly int _port;
    private bool _started;

    private PostgresCluster(IReadOnlyDictionary<string, string> programs, string folder, int port)
    {
        _programs = programs;
        _folder = folder;
        _port = port;
    }

    /// <summary>Connection string without pooling settings.</summary>
    public string ConnectionString => $"Host=127.0.0.1;Port={_port};Username={User};Database={User};Timeout=60;Command Timeout=120";

    /// <summary>The server's first process, the parent of all others.</summary>
    public int ProcessId => int.Parse(File.ReadLines(Path.Combine(Data, "postmaster.pid")).First(), CultureInfo.InvariantCulture);

    private string Data => Path.Combine(_folder, "data");

    /// <summary>Creates, starts and fills a cluster.</summary>
    /// <exception cref="ScenarioUnavailableException">The programs are absent or do not work.</exception>
    public static async Task<PostgresCluster> StartAsync(CancellationToken cancellationToken)
    {
        IReadOnlyDictionary<string, string> programs =
            PostgresBinaries.Find() ?? throw new ScenarioUnavailableException(PostgresBinaries.HowToInstall);
        string folder = Directory.CreateTempSubdirectory("adaptivepool-pg-").FullName;
        PostgresCluster cluster = new(programs, folder, FreePort());
        try
        {
            if (Environment.IsPrivilegedProcess)
            {
                await RunAsync("chown", [User, folder], cancellationToken);
            }

            await cluster.RunToolAsync("initdb", ["-D", cluster.Data, "-A", "trust", "-U", User, "-E", "UTF8", "--locale=C", "--no-sync"], cancellationToken);
            cancellationToken.ThrowIfCancellationRequested();

            // Not to be cancelled: a server that is just starting could not be stopped for certain.
            cluster._started = true;
            await cluster.RunToolAsync("pg_ctl",
                ["-D", cluster.Data, "-w", "-t", "60", "-l", Path.Combine(folder, "log"), "-o", cluster.ServerOptions(), "start"], CancellationToken.None);
            await cluster.RunToolAsync(
                "pgbench",
                ["-i", "-q", "-s", Scale.ToString(CultureInfo.InvariantCulture), "-h", "127.0.0.1", "-p", cluster._port.ToString(CultureInfo.InvariantCulture),
                    "-U", User, User],
                cancellationToken);
            return cluster;
        }
        catch
        {
            await cluster.DisposeAsync();
            throw;
        }
    }

    /// <summary>Ends the server as a crash would, and starts it again.</summary>
    public Task RestartAsync()
        => RunToolAsync("pg_ctl", ["-D", Data, "-w", "-t", "60", "-l", Path.Combine(_folder, "log"), "-m", "immediate", "restart"], CancellationToken.None);

    /// <summary>Binds a process of the server to cores.</summary>
    public static Task PinAsync(int process, string cores, CancellationToken cancellationToken) =>
        RunAsync("taskset", ["-c", "-p", cores, process.ToString(CultureInfo.InvariantCulture)], cancellationToken);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_started && File.Exists(Path.Combine(Data, "postmaster.pid")))
        {
            try
            {
                await RunToolAsync("pg_ctl", ["-D", Data, "-w", "-t", "30", "-m", "immediate", "stop"], CancellationToken.None);
            }
            catch (ScenarioUnavailableException exception)
            {
                Console.Error.WriteLine(exception.Message);
            }
        }

        await RemoveAsync();
    }

    /// <summary>A tool that was ended a moment ago may still write a file.</summary>
    private async Task RemoveAsync()
    {
        for (int attempt = 0; Directory.Exists(_folder); attempt++)
        {
            try
            {
                Directory.Delete(_folder, recursive: true);
            }
            catch (IOException) when (attempt < RemoveAttempts)
            {
                await Task.Delay(100);
            }
        }
    }

    /// <summary>
    /// Durability as installed. Autovacuum is off because it would start at moments of its own choosing; the rounds are cleaned up between them instead.
    /// </summary>
    private string ServerOptions() =>
        $"-p {_port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={_folder} -c max_connections=1400 -c shared_buffers=256MB "
        + "-c autovacuum=off -c max_wal_size=4GB -c checkpoint_timeout=30min -c log_min_messages=fatal";

    private static int FreePort()
    {
        using TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    /// <summary>The server refuses to run as root: then its programs run as user postgres.</summary>
    private Task RunToolAsync(string program, string[] arguments, CancellationToken cancellationToken) =>
        Environment.IsPrivilegedProcess
            ? RunAsync("runuser", ["-u", User, "--", _programs[program], .. arguments], cancellationToken)
            : RunAsync(_programs[program], arguments, cancellationToken);

    private static async Task RunAsync(string program, string[] arguments, CancellationToken cancellationToken)
    {
        // The server inherits the handles of pg_ctl, so a pipe would never reach its end: output goes to a file, which is read on failure.
        ProcessStartInfo start = new("/bin/sh") { WorkingDirectory = "/" };
        string output = Path.GetTempFileName();
        start.ArgumentList.Add("-c");
        start.ArgumentList.Add("out=\"$1\"; shift; exec \"$@\" >\"$out\" 2>&1 </dev/null");
        start.ArgumentList.Add("sh");
        start.ArgumentList.Add(output);
        start.ArgumentList.Add(program);
        foreach (string argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }

        try
        {
            using Process process = Process.Start(start) ?? throw new ScenarioUnavailableException($"{program} could not be started.");
            try
            {
                await process.WaitForExitAsync(cancellationToken);
            }
            catch (OperationCanceledException)
            {
                process.Kill(entireProcessTree: true);
                throw;
            }

            if (process.ExitCode != 0)
            {
                throw new ScenarioUnavailableException(
                    $"{string.Join(' ', [program, .. arguments])} failed with exit code "
                    + $"{process.ExitCode}:\n{await File.ReadAllTextAsync(output, CancellationToken.None)}");
            }
        }
        finally
        {
            File.Delete(output);
        }
    }
}
