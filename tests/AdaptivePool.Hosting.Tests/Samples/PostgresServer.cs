using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Npgsql;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

/// <summary>A PostgreSQL cluster of its own in a temporary folder, on a free port of 127.0.0.1. It ends with the tests, however they end.</summary>
public sealed class PostgresServer : IAsyncLifetime
{
    private const int PortsToTry = 3;

    // The script lives until its standard input ends, which the system sees to even when the test process is killed; an interrupt from the keyboard must not
    // end it earlier. The server refuses to run as root. A port that was free may be taken by the time the server asks for it, hence several. The tests never
    // need what they wrote after a crash, hence no fsync and an immediate stop.
    private const string Script = """
        trap '' INT HUP
        programs=$1 folder=$2
        shift 2
        as=
        if [ "$(id -u)" = 0 ]; then
            as='runuser -u postgres --'
            chown postgres "$folder" || exit 1
        fi
        cd "$folder" || exit 1
        port=
        if $as "$programs/initdb" -D "$folder/data" -U postgres -E UTF8 --locale=C --auth=trust --no-sync >"$folder/output" 2>&1; then
            for candidate in "$@"; do
                if $as "$programs/pg_ctl" -D "$folder/data" -w -t 60 -l "$folder/data/log" -o "-p $candidate -c listen_addresses=127.0.0.1 \
                    -c unix_socket_directories='$folder' -c max_connections=200 -c fsync=off -c deadlock_timeout=100ms" start >>"$folder/output" 2>&1; then
                    port=$candidate
                    break
                fi
            done
        fi
        result=0
        if [ "$port" ]; then
            echo "$port"
            while read -r _; do
                if $as "$programs/pg_ctl" -D "$folder/data" -w -t 60 -m immediate restart >>"$folder/output" 2>&1; then echo restarted; else cat "$folder/output" >&2; echo failed; fi
            done
            $as "$programs/pg_ctl" -D "$folder/data" -w -t 30 -m immediate stop >"$folder/output" 2>&1 || result=1
        else
            result=1
        fi
        if [ $result != 0 ]; then
            cat "$folder/output" >&2
            if [ -f "$folder/data/log" ]; then cat "$folder/data/log" >&2; fi
        fi
        cd / && rm -rf "$folder"
        exit $result
        """;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    private Process? _script;
    private Task<string> _errors = Task.FromResult("");
    private int _databases;
    private int _port;

    public async Task InitializeAsync()
    {
        if (PostgresPrograms.Missing is { } missing)
        {
            // Elsewhere every test of the collection is left out, but the fixture is made all the same.
            if (!PostgresPrograms.MayBeMissing)
            {
                throw new InvalidOperationException(missing);
            }

            return;
        }

        string folder = Directory.CreateTempSubdirectory("bank-pg-").FullName;
        ProcessStartInfo start = new("/bin/sh", ["-c", Script, "sh", PostgresPrograms.Folder!, folder, .. FreePorts()])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        _script = Process.Start(start)!;
        _errors = _script.StandardError.ReadToEndAsync();
        string? port = await _script.StandardOutput.ReadLineAsync().WaitAsync(s_patience);
        _port = port is null
            ? throw new InvalidOperationException($"The PostgreSQL server did not start:\n{await _errors}")
            : int.Parse(port, CultureInfo.InvariantCulture);
    }

    public async Task DisposeAsync()
    {
        if (_script is null)
        {
            return;
        }

        using Process script = _script;
        script.StandardInput.Close();
        await script.WaitForExitAsync().WaitAsync(s_patience);
        if (_port != 0 && script.ExitCode != 0)
        {
            throw new InvalidOperationException($"The PostgreSQL server did not stop:\n{await _errors}");
        }
    }

    /// <summary>Ends the server as a crash would, and starts it again. All sessions are gone.</summary>
    public async Task RestartAsync()
    {
        await _script!.StandardInput.WriteLineAsync();
        await _script.StandardInput.FlushAsync();
        var answer = await _script.StandardOutput.ReadLineAsync().WaitAsync(s_patience * 2);
        if (answer != "restarted")
        {
            throw new InvalidOperationException($"The PostgreSQL server did not start again: {answer}");
        }
    }

    /// <summary>An empty database, removed with everything in it when disposed.</summary>
    internal async Task<PostgresDatabase> CreateDatabaseAsync()
    {
        string name = $"test{Interlocked.Increment(ref _databases)}";
        NpgsqlDataSource admin = NpgsqlDataSource.Create(ConnectionString("postgres"));
        await using NpgsqlCommand create = admin.CreateCommand($"CREATE DATABASE {name}");
        await create.ExecuteNonQueryAsync();
        return new PostgresDatabase(admin, name, ConnectionString(name));
    }

    private string ConnectionString(string database)
        => $"Host=127.0.0.1;Port={_port};Username=postgres;Database={database};Maximum Pool Size=40;Timeout=30;Command Timeout=60;Cancellation Timeout=30000";

    // Held together so that they differ.
    private static string[] FreePorts()
    {
        TcpListener[] listeners = [.. Enumerable.Range(0, PortsToTry).Select(_ => new TcpListener(IPAddress.Loopback, 0))];
        Array.ForEach(listeners, l => l.Start());
        string[] ports = [.. listeners.Select(l => ((IPEndPoint)l.LocalEndpoint).Port.ToString(CultureInfo.InvariantCulture))];
        Array.ForEach(listeners, l => l.Dispose());
        return ports;
    }
}
