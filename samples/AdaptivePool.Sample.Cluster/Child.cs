using System.Diagnostics;

namespace AdaptivePool.Sample.Cluster;

/// <summary>A process of this program. It ends when its parent closes its input, however the parent ends.</summary>
internal sealed class Child : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    private readonly Process _process;

    private Child(Process process, string said) => (_process, Said) = (process, said);

    /// <summary>The line that it said when it was ready.</summary>
    public string Said { get; }

    public static async Task<Child> StartAsync(params string[] args)
    {
        ProcessStartInfo start = new(Environment.ProcessPath!) { RedirectStandardInput = true, RedirectStandardOutput = true };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet"
            || typeof(Child).Assembly.GetName().Name != Path.GetFileNameWithoutExtension(Environment.ProcessPath))
        {
            // Started by 'dotnet x.dll', or from a test's process.
            start.FileName = Path.ChangeExtension(typeof(Child).Assembly.Location, null);
        }

        foreach (string arg in args)
        {
            start.ArgumentList.Add(arg);
        }

        Process process = Process.Start(start) ?? throw new InvalidOperationException("A process could not be started.");
        string? line = await process.StandardOutput.ReadLineAsync().WaitAsync(s_patience);
        return line is null ? throw new InvalidOperationException($"The process '{string.Join(' ', args)}' ended with {process.ExitCode} before it was ready.")
            : new Child(process, line);
    }

    /// <summary>In the child: says that it is ready, and serves until the parent has gone.</summary>
    public static async Task ServeAsync(WebApplication app, string ready)
    {
        Console.Out.WriteLine(ready);
        Console.Out.Flush();
        await Console.In.ReadToEndAsync();
        await app.DisposeAsync();
    }

    public async ValueTask DisposeAsync()
    {
        _process.StandardInput.Close();
        try
        {
            await _process.WaitForExitAsync().WaitAsync(s_patience);
        }
        catch (TimeoutException)
        {
            _process.Kill();
        }

        _process.Dispose();
    }
}
