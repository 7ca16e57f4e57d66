using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text;

namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>
/// Asks one endpoint at a fixed rate while others are kept under blocking load. When the time is over nothing is waited for: a starved bank might take a minute
/// to answer what it owes.
/// </summary>
internal sealed class StarvedLoad(LoadClient client)
{
    public static readonly TimeSpan Period = TimeSpan.FromMilliseconds(20);

    private readonly ConcurrentDictionary<long, byte> _waiting = [];
    private readonly ConcurrentQueue<Answer> _answers = [];
    private readonly ConcurrentQueue<string> _wrong = [];

    public async Task<CellResult> RunAsync(Workload workload, TimeSpan duration, int seed, CancellationToken cancellationToken)
    {
        long begin = Stopwatch.GetTimestamp();
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        Task<CellResult?>[] beside = [.. workload.Beside.Select(b => UntilEndAsync(b, duration, seed, end.Token))];
        Random random = new(seed);
        List<Task> asked = [];
        using (PeriodicTimer timer = new(Period))
        {
            while (Stopwatch.GetElapsedTime(begin) < duration && await timer.WaitForNextTickAsync(cancellationToken).ConfigureAwait(false))
            {
                asked.Add(AskAsync(workload.Next(random), begin, end.Token));
            }
        }

        long ended = Stopwatch.GetTimestamp();

        // The last request had no time to be answered and says nothing.
        TimeSpan[] unanswered = [.. _waiting.Keys.Select(sent => Stopwatch.GetElapsedTime(sent, ended)).Where(waited => waited > Period)];
        await end.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(asked).ConfigureAwait(false);
        CellResult?[] results = await Task.WhenAll(beside).ConfigureAwait(false);
        return new CellResult(
            duration,
            [.. _answers],
            _wrong.Count + results.Sum(r => r?.Wrong ?? 0),
            _wrong.FirstOrDefault() ?? Array.Find(results, r => r?.FirstWrong is not null)?.FirstWrong)
        {
            Unanswered = unanswered,
        };
    }

    /// <summary>Null when answers were still missing at the end.</summary>
    private async Task<CellResult?> UntilEndAsync(Workload workload, TimeSpan duration, int seed, CancellationToken end)
    {
        try
        {
            return await client.RunAsync(workload, duration, seed, end).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            return null;
        }
    }

    private async Task AskAsync(Call call, long begin, CancellationToken end)
    {
        long sent = Stopwatch.GetTimestamp();
        _waiting[sent] = 0;
        try
        {
            (int status, byte[] body) = await client.SendAsync(call, end).ConfigureAwait(false);
            long answered = Stopwatch.GetTimestamp();
            if (!_waiting.TryRemove(sent, out _) || end.IsCancellationRequested)
            {
                return;
            }

            if (call.IsRight(status, body))
            {
                _answers.Enqueue(new Answer(Stopwatch.GetElapsedTime(begin, answered), Stopwatch.GetElapsedTime(sent, answered)));
            }
            else
            {
                _wrong.Enqueue($"{call.Path} answered {status}: {Encoding.UTF8.GetString(body)}");
            }
        }
        catch (OperationCanceledException) when (end.IsCancellationRequested)
        {
            // Without an answer to the end.
        }
        catch (HttpRequestException e)
        {
            _waiting.TryRemove(sent, out _);
            _wrong.Enqueue($"{call.Path} was not answered: {e.Message}");
        }
    }
}
