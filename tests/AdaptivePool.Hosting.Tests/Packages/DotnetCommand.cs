using System.Collections;
using System.Diagnostics;

namespace AdaptivePool.Hosting.Tests.Packages;

/// <summary>The dotnet tool, as somebody calls it who has just opened a terminal.</summary>
internal static class DotnetCommand
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(5);

    /// <summary>Runs a command.</summary>
    /// <returns>What it printed.</returns>
    /// <exception cref="InvalidOperationException">It failed.</exception>
    public static async Task<string> RunAsync(string folder, params string[] arguments)
    {
        var start = new ProcessStartInfo("dotnet", arguments) { WorkingDirectory = folder, RedirectStandardOutput = true, RedirectStandardError = true };

        // What the test command sets for itself would lead another one astray.
        foreach (string name in Environment.GetEnvironmentVariables().Cast<DictionaryEntry>().Select(static e => (string)e.Key)
            .Where(static name => name.StartsWith("MSBUILD", StringComparison.OrdinalIgnoreCase)
                || name.StartsWith("VSTEST", StringComparison.OrdinalIgnoreCase)))
        {
            start.Environment.Remove(name);
        }

        start.Environment["DOTNET_CLI_TELEMETRY_OPTOUT"] = "1";
        start.Environment["DOTNET_NOLOGO"] = "1";
        start.Environment["DOTNET_CLI_UI_LANGUAGE"] = "en";
        start.Environment["MSBUILDDISABLENODEREUSE"] = "1";
        using var process = Process.Start(start)!;
        using var cancellation = new CancellationTokenSource(s_patience);
        Task<string> output = process.StandardOutput.ReadToEndAsync(cancellation.Token);
        Task<string> errors = process.StandardError.ReadToEndAsync(cancellation.Token);
        try
        {
            await process.WaitForExitAsync(cancellation.Token);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            throw new InvalidOperationException($"'dotnet {string.Join(' ', arguments)}' did not end.");
        }

        return process.ExitCode == 0 ? await output
            : throw new InvalidOperationException($"'dotnet {string.Join(' ', arguments)}' ended with {process.ExitCode}: {await output} {await errors}");
    }
}
