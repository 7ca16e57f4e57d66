using System.Diagnostics;

namespace AdaptivePool.Tests.Faults;

/// <summary>A child process that runs a load on a pool of its own (see <see cref="ChildLoad"/>): this assembly, started as a program. It answers one line for
/// each line it is sent.</summary>
internal sealed class ChildRun : IDisposable
{
    private readonly Process _process;

    public ChildRun(params string[] arguments)
        : this(static _ => { }, arguments)
    {
    }

    public ChildRun(Action<ProcessStartInfo> configure, params string[] arguments)
    {
        string host = Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet" ? path : "dotnet";
        var start = new ProcessStartInfo(host) { RedirectStandardInput = true, RedirectStandardOutput = true, UseShellExecute = false };
        foreach (string argument in (string[])["exec", typeof(ChildRun).Assembly.Location, .. arguments])
        {
            start.ArgumentList.Add(argument);
        }

        configure(start);
        _process = Process.Start(start)!;
    }

    public int Id => _process.Id;

    public string Ask(string line)
    {
        _process.StandardInput.WriteLine(line);
        _process.StandardInput.Flush();
        return Eventually.Result(_process.StandardOutput.ReadLineAsync(), $"the child must answer '{line}'")
            ?? throw new InvalidOperationException($"The child ended before it answered '{line}'.");
    }

    /// <summary>All it says until its end.</summary>
    public string Output()
    {
        Task<string> output = _process.StandardOutput.ReadToEndAsync();
        ((IAsyncResult)output).AsyncWaitHandle.WaitOne(TimeSpan.FromMinutes(5)).ShouldBeTrue("the child must end");
        return output.Result;
    }

    /// <summary>Waits for its end.</summary>
    public int End()
    {
        _process.StandardInput.Close();
        _process.WaitForExit(Eventually.Patience).ShouldBeTrue("the child must end");
        return _process.ExitCode;
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        _process.Dispose();
    }
}
