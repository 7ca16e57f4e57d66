using AdaptivePool.Balancing;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Load;

/// <summary>The framework's caches keep the headers of an answer before the load is among them, and what they answer from has a new report.</summary>
public sealed class OutputCacheTests
{
    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(false, false)]
    public async Task CachedAnswer_HasNoOldReport(bool isOutputCache, bool isCountedFirst)
    {
        int runs = 0;
        await using var app = await TestApp.StartAsync(
            app =>
            {
                Action[] places = [() => app.UseLoadReporting(), () => Cache(app)];
                Array.ForEach(isCountedFirst ? places : [.. places.Reverse()], static it => it());
                app.UseAdaptivePool();
                var endpoint = app.MapGet("/cached", async context =>
                {
                    runs++;
                    context.Response.Headers.CacheControl = "public, max-age=600";
                    await context.Response.StartAsync();
                    await context.Response.WriteAsync("done");
                });
                if (isOutputCache)
                {
                    endpoint.CacheOutput();
                }
            },
            static builder =>
            {
                builder.Services.AddOutputCache();
                builder.Services.AddResponseCaching();
                builder.Services.AddAdaptivePool();
                builder.Services.AddLoadReporting(static it => it.Balancers.Add("front"));
            });
        string?[] told = [await AskAsync("front"), await AskAsync(null), await AskAsync("front"), await AskAsync("front")];
        runs.ShouldBe(1);
        told[0].ShouldNotBeNull();
        told[1].ShouldBeNull("a client is told nothing");

        // Where the cache answers before the place that counts, nobody is told anything; never what was told before.
        string?[] reported = [.. told.OfType<string>()];
        reported.Distinct().Count().ShouldBe(reported.Length);
        reported.Length.ShouldBe(isCountedFirst ? 3 : 1);

        IApplicationBuilder Cache(WebApplication it) => isOutputCache ? it.UseOutputCache() : it.UseResponseCaching();

        async Task<string?> AskAsync(string? balancer)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, "/cached");
            if (balancer is not null)
            {
                request.Headers.Add(LoadReport.BalancerHeaderName, balancer);
            }

            using var response = await app.Client.SendAsync(request);
            (await response.Content.ReadAsStringAsync()).ShouldBe("done");
            return response.Headers.TryGetValues(LoadReport.HeaderName, out var values) ? values.Single() : null;
        }
    }
}
