using System.Collections.Concurrent;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>Runs a scene once, and tells what each of its requests got and did.</summary>
/// <param name="scene">The scene.</param>
/// <param name="setting">How it is run.</param>
internal sealed class SceneRun(Scene scene, Setting setting)
{
    /// <summary>Header of requests that only show that a class does not wait.</summary>
    public const string WarmHeader = "X-Warm";

    private const int WarmRequests = 300;
    private const int MostWarmRounds = 4;

    private readonly SceneApp _made = new(scene, setting);

    /// <summary>How long anything may take.</summary>
    public static TimeSpan Patience { get; } = TimeSpan.FromSeconds(10);

    /// <summary>Requests that ran as guests.</summary>
    public long Guests { get; private set; }

    /// <summary>Runs it.</summary>
    /// <returns>For each request by its name: what its client got, and then its trace.</returns>
    public async Task<SortedDictionary<string, string>> RunAsync()
    {
        SortedDictionary<string, string> all = new(StringComparer.Ordinal);
        await using WebApplication app = _made.Build();
        await app.StartAsync();
        using var client = new SceneClient(app, setting, _made.Traces);
        if (setting.Pool == Setting.Use.GuestsFromTheStart)
        {
            await WarmAsync(app, client);
        }

        foreach (IReadOnlyList<SceneRequest> round in scene.Rounds)
        {
            List<(SceneRequest Request, Task<string> Answer)> sent = [];
            foreach (SceneRequest request in round)
            {
                Task<string> answer = client.SendAsync(request);
                sent.Add((request, answer));
                if (request.How is SceneRequest.Kind.Wait or SceneRequest.Kind.Last)
                {
                    await Task.WhenAny(client.WaitsAsync(request, answer), Task.Delay(Patience));
                }

                if (request.How == SceneRequest.Kind.Last)
                {
                    await app.StopAsync().WaitAsync(Patience);
                }
            }

            foreach ((SceneRequest request, Task<string> answer) in sent)
            {
                all[request.Name] = await TellAsync(request, answer);
            }
        }

        Guests = setting.HasPool ? app.Services.GetRequiredService<AdaptiveThreadPool>().GetSnapshot().Classes.Sum(static it => it.GuestRequests) : 0;
        return all;
    }

    private async Task<string> TellAsync(SceneRequest request, Task<string> answer)
    {
        Task<string> told = TellToItsEndAsync(request, answer);
        if (await Task.WhenAny(told, Task.Delay(Patience)) == told)
        {
            return await told;
        }

        IEnumerable<string> lines = _made.Traces.TryGetValue(request.Name, out Trace? trace) ? trace.Lines : [];
        throw new TimeoutException(
            $"{request} hangs {(answer.IsCompleted ? $"after {await answer}" : "without an answer")}\n{setting}\n{scene}\n{string.Join('\n', lines)}");
    }

    private async Task<string> TellToItsEndAsync(SceneRequest request, Task<string> answer)
    {
        string text = await answer;
        if (!_made.Traces.TryGetValue(request.Name, out Trace? trace))
        {
            return text;
        }

        await trace.End;
        return $"{text}\n{string.Join('\n', trace.Lines)}";
    }

    private async Task WarmAsync(WebApplication app, SceneClient client)
    {
        string[] paths = [.. scene.Endpoints.Select(static it => it.Path).Append("/missing")];
        for (int round = 0; round < MostWarmRounds; round++)
        {
            foreach (string path in paths)
            {
                await Task.WhenAll(Enumerable.Range(0, 4).Select(async _ =>
                {
                    for (int i = 0; i < WarmRequests / 4; i++)
                    {
                        await client.WarmAsync(path);
                    }
                }));
            }

            var pool = app.Services.GetRequiredService<AdaptiveThreadPool>();
            if (pool.GetSnapshot().Classes.Count(static it => it.HasGuests) >= paths.Length / 2)
            {
                return;
            }
        }
    }
}
