using System.Diagnostics;
using System.Globalization;
using AdaptivePool.Sample.Bank.Threads;

namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>The bank in a child process of its own.</summary>
internal sealed class BankProcess : IAsyncDisposable
{
    private const string Listening = "Now listening on: ";
    private const int LinesKept = 60;
    private static readonly TimeSpan s_startLimit = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan s_stopLimit = TimeSpan.FromSeconds(5);

    private readonly Process _process;
    private readonly TaskCompletionSource<Uri> _address = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Queue<string> _lines = [];
    private PoolReport? _pool;
    private int _peak;

    private BankProcess(PoolKind kind, Process process)
    {
        Kind = kind;
        _process = process;
    }

    public PoolKind Kind { get; }

    /// <summary>Answers that moved money, as the driver has seen them.</summary>
    public long TransfersSeen { get; set; }

    /// <summary>What the child last said about its pool; null before the first time.</summary>
    public PoolReport? Pool => Volatile.Read(ref _pool);

    /// <summary>Most threads of both pools that the child has told of since the last <see cref="ForgetPeak"/>: it tells also when it is too starved to answer
    /// requests.</summary>
    public int ReportedPeak => Volatile.Read(ref _peak);

    public LoadClient Client { get; private set; } = null!;

    public static async Task<BankProcess> StartAsync(PoolKind kind, CompareStore store, int reportPaths, CancellationToken cancellationToken)
    {
        // Started by "dotnet run" or by itself the program is an executable; under "dotnet bank.dll" or a test it is not.
        string program = typeof(BankProcess).Assembly.Location;
        bool executable = Path.GetFileNameWithoutExtension(Environment.ProcessPath) == Path.GetFileNameWithoutExtension(program);
        ProcessStartInfo start = new(executable ? Environment.ProcessPath! : "dotnet")
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = store.Folder,
        };
        if (!executable)
        {
            start.ArgumentList.Add(program);
        }

        // Whatever the environment says, both children differ in nothing but the pool.
        string adaptive = kind == PoolKind.Adaptive ? "true" : "false";
        foreach (string argument in (string[])
        [
            "--urls", "http://127.0.0.1:0",
            "--environment", "Production",
            "--Logging:LogLevel:Default", "Warning",
            "--Logging:LogLevel:Microsoft.Hosting.Lifetime", "Information",
            "--AdaptivePool:Enabled", adaptive,
            "--Bank:UseAdaptivePool", adaptive,
            "--Bank:StopWithInput", "true",
            "--Bank:ReportPool", "true",
            "--Bank:ReportPaths", reportPaths.ToString(CultureInfo.InvariantCulture),
            "--Bank:DatabaseFile", store.FileOf(kind),
            "--Bank:Schema", store.SchemaOf(kind),
        ])
        {
            start.ArgumentList.Add(argument);
        }

        if (store.ConnectionString is not null)
        {
            start.Environment["ConnectionStrings__Bank"] = store.ConnectionString;
        }

        BankProcess bank = new(kind, new Process { StartInfo = start });
        try
        {
            await bank.StartAsync(cancellationToken);
            return bank;
        }
        catch
        {
            await bank.DisposeAsync();
            throw;
        }
    }

    /// <summary>The end of what the child has written.</summary>
    public string Output
    {
        get
        {
            lock (_lines)
            {
                return string.Join(Environment.NewLine, _lines);
            }
        }
    }

    public void ForgetPeak() => Volatile.Write(ref _peak, 0);

    // The child stops when its input ends; only one that does not is killed.
    public async ValueTask DisposeAsync()
    {
        Client?.Dispose();
        try
        {
            _process.StandardInput.Close();
            using CancellationTokenSource limit = new(s_stopLimit);
            await _process.WaitForExitAsync(limit.Token);
        }
        catch (OperationCanceledException)
        {
            _process.Kill(entireProcessTree: true);
            await _process.WaitForExitAsync(CancellationToken.None);
        }
        catch (InvalidOperationException)
        {
            // It was never started.
        }

        _process.Dispose();
    }

    private async Task StartAsync(CancellationToken cancellationToken)
    {
        _process.OutputDataReceived += (_, e) => Keep(e.Data);
        _process.ErrorDataReceived += (_, e) => Keep(e.Data);
        _process.EnableRaisingEvents = true;
        _process.Exited += (_, _) => _address.TrySetException(new CompareException($"The bank on {PoolNames.Of(Kind)} ended while starting."));
        _process.Start();
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
        try
        {
            Client = new LoadClient(await _address.Task.WaitAsync(s_startLimit, cancellationToken));
        }
        catch (Exception e) when (e is CompareException or TimeoutException)
        {
            throw new CompareException($"The bank on {PoolNames.Of(Kind)} did not start. Its output:{Environment.NewLine}{Output}");
        }
    }

    private void Keep(string? line)
    {
        if (line is null)
        {
            return;
        }

        if (PoolReporter.Read(line) is { } pool)
        {
            Volatile.Write(ref _pool, pool);
            Volatile.Write(ref _peak, Math.Max(_peak, pool.Threads + pool.OtherThreads));
            return;
        }

        lock (_lines)
        {
            _lines.Enqueue(line);
            if (_lines.Count > LinesKept)
            {
                _lines.Dequeue();
            }
        }

        int at = line.IndexOf(Listening, StringComparison.Ordinal);
        if (at >= 0)
        {
            _address.TrySetResult(new Uri(line[(at + Listening.Length)..].Trim()));
        }
    }
}
