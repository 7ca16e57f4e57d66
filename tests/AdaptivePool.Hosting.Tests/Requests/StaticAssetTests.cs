using System.Text.Json;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc.ApplicationParts;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.StaticAssets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.Logging;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>An application like the MVC template: its own <c>UseRouting()</c>, controllers, and the files of wwwroot as endpoints.</summary>
public sealed class StaticAssetTests : IDisposable
{
    private const int Files = 600;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("assets");
    private readonly RecordedLog _log = new();

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task MapStaticAssets_HundredsOfFiles_ShareOneClassAndOthersKeepTheirs()
    {
        await using var app = await StartAsync(static assets => { });
        for (var i = 0; i < Files; i += 2)
        {
            (await app.GetAsync($"/{i}.txt")).ShouldBe($"file {i}");
        }

        (await app.GetAsync("/Conventional/First")).ShouldContain("ConventionalController.First");
        (await app.GetAsync("/late")).ShouldBe("GET /late");

        app.Application.Services.GetRequiredService<EndpointDataSource>().Endpoints.Count.ShouldBeGreaterThan(Files);
        var assets = app.Pool.GetClass("static assets").GetSnapshot();
        (assets.Completed + assets.GuestRequests).ShouldBe(Files / 2);
        app.Pool.GetSnapshot().Classes.Count.ShouldBeLessThan(10);
        _log.Lines.ShouldAllBe(static line => line.Level < LogLevel.Warning);
    }

    [Theory]
    [InlineData(true, "runtime")]
    [InlineData(false, "files")]
    public async Task MapStaticAssets_WithMetadataOfTheirOwn_RunWhereTheseSay(bool disabled, string expected)
    {
        var where = "";
        await using var app = await StartAsync(
            assets => _ = disabled ? assets.DisableAdaptivePool() : assets.RunOnAdaptivePool("files"),
            it => it.Use((context, next) =>
            {
                where = Whereabouts.Here() == Whereabouts.Pool ? it.ActiveClasses() : Whereabouts.Here();
                return next(context);
            }));

        (await app.GetAsync("/1.txt")).ShouldBe("file 1");

        where.ShouldBe(expected);
    }

    private Task<TestApp> StartAsync(Action<StaticAssetsEndpointConventionBuilder> assets, Action<WebApplication>? middleware = null)
    {
        var manifest = WriteFiles();
        return TestApp.StartAsync(
            it =>
            {
                it.Environment.WebRootFileProvider = new PhysicalFileProvider(_folder.FullName);
                it.UseRouting();
                it.UseAdaptivePool();
                middleware?.Invoke(it);
                it.UseAuthorization();
                assets(it.MapStaticAssets(manifest));
                it.MapControllerRoute("default", "{controller=Conventional}/{action=First}/{id?}").WithStaticAssets(manifest);
                it.MapGet("/late", () => it.ActiveClasses());
            },
            it =>
            {
                it.Logging.AddProvider(_log).AddFilter("AdaptivePool", LogLevel.Trace);
                it.Services.AddControllersWithViews()
                    .ConfigureApplicationPartManager(static manager => manager.ApplicationParts.Add(new AssemblyPart(typeof(TestApp).Assembly)));

                // Tests of the bank on the runtime's pool starve that meanwhile, and each pool of the process would say so.
                it.Services.AddAdaptivePool(static options => options.WatchRuntimePool = false);
            });
    }

    /// <summary>What the build makes of the files of a wwwroot.</summary>
    private string WriteFiles()
    {
        List<object> endpoints = [];
        for (var i = 0; i < Files; i++)
        {
            var text = $"file {i}";
            File.WriteAllText(Path.Combine(_folder.FullName, $"{i}.txt"), text);
            endpoints.Add(new
            {
                Route = $"{i}.txt",
                AssetFile = $"{i}.txt",
                Selectors = Array.Empty<object>(),
                EndpointProperties = Array.Empty<object>(),
                ResponseHeaders = new[]
                {
                    new { Name = "Content-Length", Value = $"{text.Length}" },
                    new { Name = "Content-Type", Value = "text/plain" },
                    new { Name = "ETag", Value = $"\"{i}\"" },
                    new { Name = "Last-Modified", Value = "Thu, 01 Jan 2026 00:00:00 GMT" },
                },
            });
        }

        var manifest = Path.Combine(_folder.FullName, "assets.staticwebassets.endpoints.json");
        File.WriteAllText(manifest, JsonSerializer.Serialize(new { Version = 1, ManifestType = "Publish", Endpoints = endpoints }));
        return manifest;
    }
}
