using System.Diagnostics;
using System.Globalization;

namespace AdaptivePool.Scenarios.Scenarios.Starvation;

/// <summary>Keeps every core busy until disposed.</summary>
public sealed class BusyCores : IDisposable
{
    private readonly List<Process> _processes = [];
    private int _stop;

    /// <summary>Starts.</summary>
    /// <param name="use">Who uses the CPU.</param>
    /// <param name="limit">Longest time; processes end then even when nobody is left to end them.</param>
    public BusyCores(OtherCpuUse use, TimeSpan limit)
    {
        for (int i = 0; i < Environment.ProcessorCount && use != OtherCpuUse.None; i++)
        {
            if (use == OtherCpuUse.Threads)
            {
                new Thread(Spin) { IsBackground = true, Name = "busy" }.UnsafeStart();
            }
            else
            {
                string seconds = Math.Ceiling(limit.TotalSeconds).ToString(CultureInfo.InvariantCulture);
                _processes.Add(Process.Start("timeout", [seconds, "sh", "-c", "while :; do :; done"]));
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Volatile.Write(ref _stop, 1);
        foreach (Process process in _processes)
        {
            process.Kill(entireProcessTree: true);
            process.WaitForExit();
            process.Dispose();
        }
    }

    private void Spin()
    {
        while (Volatile.Read(ref _stop) == 0)
        {
            Thread.SpinWait(1_000);
        }
    }
}
