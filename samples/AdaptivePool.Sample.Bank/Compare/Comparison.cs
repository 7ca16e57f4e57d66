using System.Diagnostics;

namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>Two banks under the same load in turns, in an order in which what changes slowly, such as the driver that becomes faster, meets both.</summary>
internal sealed class Comparison(CompareOptions options, BankProcess runtime, BankProcess adaptive, Workload[] workloads, Workload starved)
{
    private static readonly TimeSpan s_warmUp = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_late = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(100);

    private readonly Dictionary<(Workload, PoolKind), List<CellResult>> _cells = [];
    private int _seed;

    public IEnumerable<(Workload Workload, Summary Runtime, Summary Adaptive)> Rows
        => workloads.Append(starved).Select(w => (w, Summary.Of(_cells[(w, PoolKind.Runtime)]), Summary.Of(_cells[(w, PoolKind.Adaptive)])));

    public long AnswerCount => _cells.Values.SelectMany(c => c).Sum(c => (long)c.Answers.Count);

    public async Task RunAsync(CompareProgress progress, CancellationToken cancellationToken)
    {
        progress.Report("warming up", 0);
        foreach (Workload workload in workloads)
        {
            foreach (BankProcess bank in (BankProcess[])[runtime, adaptive])
            {
                await RunCellAsync(bank, workload with { Clients = workload.WarmUpClients }, s_warmUp, cancellationToken);
            }
        }

        // With all its clients: otherwise what is measured first would be measured with a driver that is slower than it is for the rest.
        foreach (BankProcess bank in (BankProcess[])[runtime, adaptive])
        {
            await RunCellAsync(bank, workloads[0], s_warmUp, cancellationToken);
        }

        foreach (BankProcess bank in (BankProcess[])[runtime, adaptive])
        {
            await CorrectnessCheck.RefusalsAsync(bank, cancellationToken);
            await CorrectnessCheck.PoolAsync(bank, cancellationToken);
        }

        double weights = workloads.Sum(w => w.Weight) + starved.Weight;
        double done = 0;
        for (int i = 0; i < workloads.Length; i++)
        {
            Workload workload = workloads[i];
            (BankProcess a, BankProcess b) = i % 2 == 0 ? (runtime, adaptive) : (adaptive, runtime);

            // Four turns are even for what changes steadily, eight also for what changes less and less. Where threads block, the ratio is no matter of percent,
            // and shorter cells would only end with more answers to wait for.
            BankProcess[] turns = workload.Blocks ? [a, b, b, a] : [a, b, b, a, b, a, a, b];
            double share = workload.Weight / weights / turns.Length;
            foreach (BankProcess bank in turns)
            {
                done = await RunTurnAsync(bank, workload, share, progress, done, RunCellAsync, cancellationToken);
            }
        }

        progress.Report("checking the balances", done);
        await CorrectnessCheck.MoneyAsync(runtime, cancellationToken);
        await CorrectnessCheck.MoneyAsync(adaptive, cancellationToken);

        // Last and once each: nothing else can be asked of a bank that is still starved. It moves no money.
        foreach (BankProcess bank in (BankProcess[])[runtime, adaptive])
        {
            done = await RunTurnAsync(bank, starved, starved.Weight / weights / 2, progress, done, RunStarvedAsync, cancellationToken);
        }
    }

    private async Task<double> RunTurnAsync(
        BankProcess bank,
        Workload workload,
        double share,
        CompareProgress progress,
        double done,
        Func<BankProcess, Workload, TimeSpan, CancellationToken, Task<CellResult>> run,
        CancellationToken cancellationToken)
    {
        Task<CellResult> cell = run(bank, workload, options.Load * share, cancellationToken);
        await ShowAsync(progress, $"{workload.Name} on {PoolNames.Of(bank.Kind)}", cell, done, share, cancellationToken);
        (_cells.TryGetValue((workload, bank.Kind), out List<CellResult>? cells) ? cells : _cells[(workload, bank.Kind)] = []).Add(await cell);
        return done + share;
    }

    private async Task<CellResult> RunCellAsync(BankProcess bank, Workload workload, TimeSpan duration, CancellationToken cancellationToken)
    {
        bank.ForgetPeak();
        CellResult result = Checked(bank, await bank.Client.RunAsync(workload, duration, ++_seed, cancellationToken));
        bank.TransfersSeen += workload.MovesMoney ? result.Answers.Count : 0;
        return result with { PeakThreads = bank.ReportedPeak };
    }

    private async Task<CellResult> RunStarvedAsync(BankProcess bank, Workload workload, TimeSpan duration, CancellationToken cancellationToken)
    {
        bank.ForgetPeak();
        CellResult result = Checked(bank, await new StarvedLoad(bank.Client).RunAsync(workload, duration, ++_seed, cancellationToken));
        return result with { PeakThreads = bank.ReportedPeak };
    }

    private static CellResult Checked(BankProcess bank, CellResult result) => result.Wrong == 0
        ? result
        : throw new CompareException(
            $"The bank on {PoolNames.Of(bank.Kind)} did not answer {result.Wrong} requests correctly. The first: "
                + $"{result.FirstWrong}{Environment.NewLine}{bank.Output}");

    private async Task ShowAsync(CompareProgress progress, string step, Task cell, double done, double share, CancellationToken cancellationToken)
    {
        long begin = Stopwatch.GetTimestamp();
        TimeSpan duration = options.Load * share;
        while (!cell.IsCompleted)
        {
            TimeSpan elapsed = Stopwatch.GetElapsedTime(begin);
            string late = elapsed > duration + s_late ? ": waiting for the last answers" : "";
            progress.Report(step + late, done + (share * Math.Min(1, elapsed / duration)));
            await Task.WhenAny(cell, Task.Delay(s_tick, cancellationToken));
        }
    }
}
