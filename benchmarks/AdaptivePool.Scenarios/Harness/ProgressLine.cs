using System.Diagnostics;
using System.Globalization;

namespace AdaptivePool.Scenarios.Harness;

/// <summary>Shows the progress of a run: a bar that redraws itself on a terminal, plain lines elsewhere. It writes to standard error, so that standard output
/// holds results only.</summary>
public sealed class ProgressLine(int total)
{
    private const int Width = 24;
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly bool _redraws = !Console.IsErrorRedirected;
    private int _done;

    /// <summary>A step begins.</summary>
    public void Begin(string what)
    {
        string bar = new string('#', Width * _done / Math.Max(1, total)).PadRight(Width, '.');
        string line = string.Create(CultureInfo.InvariantCulture, $"[{bar}] {_done + 1}/{total} {Stopwatch.GetElapsedTime(_start).TotalSeconds,4:0} s  {what}");
        if (_redraws)
        {
            Console.Error.Write("\r\u001b[2K" + line);
        }
        else
        {
            Console.Error.WriteLine(line);
        }
    }

    /// <summary>The step ended.</summary>
    public void End() => _done++;

    /// <summary>Writes a message that stays visible.</summary>
    public void Say(string text) => Console.Error.WriteLine(_redraws ? "\r\u001b[2K" + text : text);

    /// <summary>The run ended.</summary>
    public void Close()
    {
        if (_redraws)
        {
            Console.Error.Write("\r\u001b[2K");
        }
    }
}
