using System.Diagnostics;
using System.Net.Http.Headers;
using System.Text;

namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>
/// Closed-loop load over keep-alive connections. Everything waits asynchronously, and the layers of HttpClient that a measurement does not need are left out,
/// so that the driver leaves the processors to what it measures.
/// </summary>
internal sealed class LoadClient(Uri address) : IDisposable
{
    private static readonly MediaTypeHeaderValue s_json = new("application/json");

    private readonly HttpMessageInvoker _client = new(new SocketsHttpHandler
    {
        UseProxy = false,
        UseCookies = false,
        AllowAutoRedirect = false,
        ActivityHeadersPropagator = null,
        PooledConnectionLifetime = Timeout.InfiniteTimeSpan,
    });

    /// <summary>Sends one request and waits for the whole answer.</summary>
    public async Task<(int Status, byte[] Body)> SendAsync(Call call, CancellationToken cancellationToken)
    {
        using HttpRequestMessage request = new(call.Body is null ? HttpMethod.Get : HttpMethod.Post, new Uri(address, call.Path));
        if (call.Body is not null)
        {
            request.Content = new ByteArrayContent(call.Body);
            request.Content.Headers.ContentType = s_json;
        }

        using HttpResponseMessage response = await _client.SendAsync(request, cancellationToken).ConfigureAwait(false);
        return ((int)response.StatusCode, await response.Content.ReadAsByteArrayAsync(cancellationToken).ConfigureAwait(false));
    }

    /// <summary>Keeps the endpoint under load for <paramref name="duration"/>, then waits for the answers that are still to come.</summary>
    public async Task<CellResult> RunAsync(Workload workload, TimeSpan duration, int seed, CancellationToken cancellationToken)
    {
        long begin = Stopwatch.GetTimestamp();
        LoopResult[] loops = await Task.WhenAll(Enumerable.Range(0, workload.Clients)
            .Select(i => LoopAsync(workload, begin, duration, new Random((seed * workload.Clients) + i), cancellationToken))).ConfigureAwait(false);
        return new CellResult(
            duration,
            [.. loops.SelectMany(l => l.Answers)],
            loops.Sum(l => l.Wrong),
            Array.Find(loops, l => l.FirstWrong is not null)?.FirstWrong);
    }

    public void Dispose() => _client.Dispose();

    private async Task<LoopResult> LoopAsync(Workload workload, long begin, TimeSpan duration, Random random, CancellationToken cancellationToken)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        LoopResult result = new();

        // At least once: on a machine that is busy elsewhere a client may get its first turn when a short cell is over.
        do
        {
            Call call = workload.Next(random);
            long sent = Stopwatch.GetTimestamp();
            try
            {
                (int status, byte[] body) = await SendAsync(call, cancellationToken).ConfigureAwait(false);
                long answered = Stopwatch.GetTimestamp();
                if (call.IsRight(status, body))
                {
                    result.Answers.Add(new Answer(Stopwatch.GetElapsedTime(begin, answered), Stopwatch.GetElapsedTime(sent, answered)));
                }
                else
                {
                    result.AddWrong($"{call.Path} answered {status}: {Encoding.UTF8.GetString(body)}");
                }
            }
            catch (HttpRequestException e)
            {
                // A server that is gone answers at once: without the break this would spin until the end of the cell.
                result.AddWrong($"{call.Path} was not answered: {e.Message}");
                break;
            }
        }
        while (Stopwatch.GetElapsedTime(begin) < duration);

        return result;
    }

    private sealed class LoopResult
    {
        public List<Answer> Answers { get; } = [];

        public int Wrong { get; private set; }

        public string? FirstWrong { get; private set; }

        public void AddWrong(string what)
        {
            Wrong++;
            FirstWrong ??= what;
        }
    }
}
