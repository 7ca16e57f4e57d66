using System.Globalization;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Harness;

/// <summary>The context of one round in the child process.</summary>
public sealed class ChildContext(ChildRequest request)
{
    private readonly Lazy<ComparedPool> _pool = new(() => ComparedPoolFactory.Create(request.Pool));

    /// <summary>Name of the case.</summary>
    public string Case => request.Case;

    /// <summary>Name of the pool under test.</summary>
    public string PoolName => request.Pool;

    /// <summary>The pool under test. It is created at the first access.</summary>
    public ComparedPool Pool => _pool.Value;

    /// <summary>Whether the run uses short times.</summary>
    public bool Quick => request.Quick;

    /// <summary>One of two times.</summary>
    public TimeSpan Seconds(double full, double quick) => TimeSpan.FromSeconds(Quick ? quick : full);

    /// <summary>A setting of the run.</summary>
    public string Setting(string name) =>
        request.Settings.TryGetValue(name, out string? value) ? value : throw new InvalidOperationException($"The parent gave no setting '{name}'.");

    /// <summary>A burner of CPU time with the calibration of this run.</summary>
    public Load.CpuBurner CreateBurner() => new(double.Parse(Setting(Load.CpuBurner.SettingName), CultureInfo.InvariantCulture));

    /// <summary>Sends a value to the parent.</summary>
    public void Report(string metric, double value, bool censored = false) =>
        Send(new ChildMessage { Value = new MeasuredValue(metric, value, censored) });

    /// <summary>Reports to the parent that a server listens, or that the parent can continue.</summary>
    /// <param name="url">The address of the server; any other text if there is none.</param>
    public void ReportReady(string url) => Send(new ChildMessage { ReadyUrl = url });

    private static void Send(ChildMessage message)
    {
        Console.Out.WriteLine(message.ToLine());
        Console.Out.Flush();
    }
}
