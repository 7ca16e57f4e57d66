using System.Diagnostics;
using System.Text;
using System.Text.Json;

namespace AdaptivePool.Scenarios.Harness;

/// <summary>A running child process, as the parent sees it. Disposing ends the process.</summary>
public sealed class ChildProcess : IDisposable
{
    // As much of the runtime's name for it as the kernel keeps.
    private const string CompilerThread = ".NET Tiered Com";

    private readonly Process _process;
    private readonly ThreadTimes _compiler;
    private readonly StringBuilder _errors = new();
    private readonly List<MeasuredValue> _values = [];
    private readonly TaskCompletionSource<string> _ready = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Starts a child.</summary>
    public ChildProcess(ChildRequest request)
    {
        string self = Environment.ProcessPath ?? throw new InvalidOperationException("The path of this process is not known.");
        ProcessStartInfo start = new(request.Cores is null ? self : "taskset")
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        if (request.Cores is { } cores)
        {
            // Before the runtime starts: it counts its processors once, and every thread inherits the mask.
            start.ArgumentList.Add("-c");
            start.ArgumentList.Add(cores);
            start.ArgumentList.Add(self);
        }

        if (string.Equals(Path.GetFileNameWithoutExtension(self), "dotnet", StringComparison.OrdinalIgnoreCase))
        {
            start.ArgumentList.Add(Path.Combine(AppContext.BaseDirectory, "AdaptivePool.Scenarios.dll"));
        }

        foreach ((string name, string value) in request.Environment)
        {
            start.Environment[name] = value;
        }

        start.ArgumentList.Add(ChildEntry.Verb);
        start.ArgumentList.Add(JsonSerializer.Serialize(request));
        _process = new Process { StartInfo = start };
        _process.OutputDataReceived += (_, e) => OnOutput(e.Data);
        _process.ErrorDataReceived += (_, e) => OnError(e.Data);
        _process.Start();
        _compiler = new ThreadTimes(_process.Id, CompilerThread);
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    /// <summary>CPU time that the child has used.</summary>
    public TimeSpan CpuTime
    {
        get
        {
            _process.Refresh();
            return _process.TotalProcessorTime;
        }
    }

    /// <summary>CPU time that the child's just-in-time compiler has used in the background; zero if the system does not report it.</summary>
    public TimeSpan CompilerTime => _compiler.Look();

    /// <summary>Waits until a server in the child listens, or the child reports that the parent can continue.</summary>
    public async Task<string> WaitReadyAsync(TimeSpan limit, CancellationToken cancellationToken)
    {
        Task exited = _process.WaitForExitAsync(cancellationToken);
        await Task.WhenAny(_ready.Task, exited, Task.Delay(limit, cancellationToken));
        return _ready.Task.IsCompletedSuccessfully ? await _ready.Task : throw Failed("did not report that it is ready");
    }

    /// <summary>Waits for the end of the child and returns its measured values.</summary>
    public async Task<IReadOnlyList<MeasuredValue>> WaitAsync(TimeSpan limit, CancellationToken cancellationToken)
    {
        using CancellationTokenSource timeout = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        timeout.CancelAfter(limit);
        try
        {
            await _process.WaitForExitAsync(timeout.Token);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw Failed($"did not end within {limit.TotalSeconds:0} s");
        }

        return _process.ExitCode == 0 ? _values : throw Failed($"ended with exit code {_process.ExitCode}");
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        try
        {
            if (!_process.HasExited)
            {
                _process.Kill(entireProcessTree: true);
                _process.WaitForExit(5_000);
            }
        }
        catch (InvalidOperationException)
        {
            // It ended in between, which is what was wanted.
        }

        _process.Dispose();
    }

    private InvalidOperationException Failed(string what)
    {
        lock (_errors)
        {
            return new InvalidOperationException($"the child process {what}{(_errors.Length > 0 ? ":\n" + _errors : "")}");
        }
    }

    private void OnOutput(string? line)
    {
        if (line is null)
        {
            return;
        }

        ChildMessage? message = ChildMessage.Parse(line);
        if (message?.Value is { } measured)
        {
            _values.Add(measured);
        }
        else if (message?.ReadyUrl is { } url)
        {
            _ready.TrySetResult(url);
        }
        else if (message is null)
        {
            OnError(line);
        }
    }

    private void OnError(string? line)
    {
        if (line is not null)
        {
            lock (_errors)
            {
                _errors.AppendLine(line);
            }
        }
    }
}
