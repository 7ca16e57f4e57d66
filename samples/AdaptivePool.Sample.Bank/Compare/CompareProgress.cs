using Spectre.Console;

namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>A progress bar on a terminal; elsewhere a line whenever something new begins.</summary>
internal sealed class CompareProgress
{
    private readonly ProgressTask? _bar;
    private string _step = "";

    private CompareProgress(ProgressTask? bar) => _bar = bar;

    public static async Task RunAsync(Func<CompareProgress, Task> work)
    {
        if (Console.IsOutputRedirected || !AnsiConsole.Profile.Capabilities.Interactive)
        {
            await work(new CompareProgress(null));
            return;
        }

        await AnsiConsole.Progress()
            .AutoClear(true)
            .Columns(new ProgressBarColumn(), new PercentageColumn(), new ElapsedTimeColumn(), new TaskDescriptionColumn { Alignment = Justify.Left })
            .StartAsync(context => work(new CompareProgress(context.AddTask("starting", maxValue: 1))));
    }

    /// <param name="step">What is being done.</param>
    /// <param name="done">Share of the whole that is done, 0 to 1.</param>
    public void Report(string step, double done)
    {
        if (_bar is not null)
        {
            _bar.Description = Markup.Escape(step);
            _bar.Value = done;
        }
        else if (step != _step)
        {
            AnsiConsole.WriteLine($"{done,4:P0}  {step}");
        }

        _step = step;
    }
}
