using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

public sealed class LoadTests
{
    [Fact]
    public async Task Requests_ManyThatBlockAtOnce_AreAllAnswered()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/{id}", (int id) =>
            {
                using var never = new ManualResetEvent(false);
                never.WaitOne(TimeSpan.FromMilliseconds(20));
                return $"{id}:{Whereabouts.Here()}";
            });
        });

        var answers = await Task.WhenAll(Enumerable.Range(0, 300).Select(i => app.GetAsync($"/{i}")));

        answers.ShouldBe(Enumerable.Range(0, 300).Select(i => $"{i}:pool"));
    }

    [Fact]
    public async Task Requests_SynchronousOverAsynchronous_AreAllAnswered()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/{id}", (int id) => LaterAsync(id).Result);
        });

        var answers = await Task.WhenAll(Enumerable.Range(0, 50).Select(i => app.GetAsync($"/{i}")));

        answers.ShouldBe(Enumerable.Range(0, 50).Select(i => $"{i}"));

        static async Task<string> LaterAsync(int id)
        {
            await Task.Delay(5);
            await Task.Yield();
            return $"{id}";
        }
    }

    [Fact]
    public async Task Pool_WithOneThread_AnswersEveryKindOfRequest()
    {
        var threads = new System.Collections.Concurrent.ConcurrentDictionary<int, bool>();
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/sync/{id}", (int id) => Answer(id));
                it.MapGet("/async/{id}", async (int id) =>
                {
                    await Task.Delay(2);
                    return Answer(id);
                });
                it.MapPost("/body/{id}", async (int id, HttpContext context) =>
                {
                    await context.Request.Body.CopyToAsync(Stream.Null);
                    return Answer(id);
                });
                it.MapGet("/throws/{id}", string (int id) => throw new InvalidOperationException($"{id}"));
            },
            settings: [.. HeldPool.Settings, new("AdaptivePool:Guests", "false")]);

        var requests = Enumerable.Range(0, 100).Select(async i =>
        {
            using var body = new StringContent(new string('x', 10_000));
            using var answer = await ((i % 4) switch
            {
                0 => app.Client.GetAsync(new Uri($"/sync/{i}", UriKind.Relative)),
                1 => app.Client.GetAsync(new Uri($"/async/{i}", UriKind.Relative)),
                2 => app.Client.PostAsync(new Uri($"/body/{i}", UriKind.Relative), body),
                _ => app.Client.GetAsync(new Uri($"/throws/{i}", UriKind.Relative)),
            });
            return answer.IsSuccessStatusCode ? await answer.Content.ReadAsStringAsync() : $"{(int)answer.StatusCode}";
        });
        var answers = await Task.WhenAll(requests);

        answers.ShouldBe(Enumerable.Range(0, 100).Select(i => i % 4 == 3 ? "500" : $"{i}:pool"));
        threads.Count.ShouldBe(1);

        string Answer(int id)
        {
            threads[Environment.CurrentManagedThreadId] = true;
            return $"{id}:{Whereabouts.Here()}";
        }
    }
}
