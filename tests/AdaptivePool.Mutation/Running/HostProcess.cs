using System.Diagnostics;
using System.Globalization;

namespace AdaptivePool.Mutation.Running;

/// <summary>
/// Starts the host in the folder of the tests and reads what it tells. A process that is silent for too long, or takes too much memory, is ended.
/// </summary>
internal sealed class HostProcess : IDisposable
{
    private const long MostBytes = 3L << 30;
    private static readonly TimeSpan s_look = TimeSpan.FromSeconds(1);
    private readonly Process _process;
    private Task<string?> _next;

    public HostProcess(Workplace place, IEnumerable<string> arguments, params (string Name, string Value)[] environment)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet" ? path : "dotnet")
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = place.Folder,
        };
        string[] fixedArguments =
        [
            "exec", "--depsfile", Path.Combine(place.Folder, place.Suite + ".deps.json"),
            "--runtimeconfig", Path.Combine(place.Folder, place.Suite + ".runtimeconfig.json"),
            Path.Combine(place.Folder, "AdaptivePool.Mutation.dll"), HostProtocol.Command, place.Suite,
        ];
        foreach (string argument in fixedArguments.Concat(arguments))
        {
            start.ArgumentList.Add(argument);
        }

        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        _process = Process.Start(start) ?? throw new MutationException("The host does not start");
        _process.ErrorDataReceived += static (_, _) => { };
        _process.BeginErrorReadLine();
        _next = _process.StandardOutput.ReadLineAsync();
    }

    /// <summary>Whether the process was ended because it was silent for too long.</summary>
    public bool IsHung { get; private set; }

    /// <summary>The next line; <see langword="null"/> at the end of the process.</summary>
    /// <param name="limit">How long the process may be silent.</param>
    public string? ReadLine(TimeSpan limit)
    {
        long start = Stopwatch.GetTimestamp();
        while (!_next.Wait(s_look))
        {
            if (Stopwatch.GetElapsedTime(start) > limit || TakesTooMuch())
            {
                IsHung = true;
                return null;
            }
        }

        string? line = _next.Result;
        if (line is not null)
        {
            _next = _process.StandardOutput.ReadLineAsync();
        }

        return line;
    }

    public static double Seconds(string line) => double.Parse(line.Split('\t')[1], CultureInfo.InvariantCulture);

    private bool TakesTooMuch()
    {
        try
        {
            _process.Refresh();
            return !_process.HasExited && _process.WorkingSet64 > MostBytes;
        }
        catch (InvalidOperationException)
        {
            // It has ended since the question.
            return false;
        }
    }

    public void Dispose()
    {
        try
        {
            _process.Kill(entireProcessTree: true);
        }
        catch (InvalidOperationException)
        {
            // It has ended by itself.
        }

        _process.WaitForExit();
        _process.Dispose();
    }
}
