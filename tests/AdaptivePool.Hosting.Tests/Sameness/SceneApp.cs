using System.Collections.Concurrent;
using System.Net;
using System.Net.WebSockets;
using AdaptivePool.Admission;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Cors;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>Builds the app of a scene.</summary>
/// <param name="scene">The scene.</param>
/// <param name="setting">How it is run.</param>
internal sealed class SceneApp(Scene scene, Setting setting)
{
    /// <summary>What handlers that wait write into their trace before.</summary>
    public const string Waits = "waits";

    private readonly TaskCompletionSource _signal = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public ConcurrentDictionary<string, Trace> Traces { get; } = new();

    public WebApplication Build()
    {
        var builder = WebApplication.CreateBuilder(new WebApplicationOptions { EnvironmentName = scene.Environment });
        builder.Configuration.Sources.Clear();
        builder.Configuration.AddInMemoryCollection([]);
        builder.Logging.ClearProviders();
        builder.Logging.AddProvider(new TracingLog());
        if (setting.Server == Setting.TestServer)
        {
            builder.WebHost.UseTestServer();
        }
        else
        {
            builder.SpeakHttp(setting.Server);
            builder.WebHost.ConfigureKestrel(static options => options.Listen(IPAddress.Loopback, 0));
        }

        builder.Services.AddSingleton<IHttpContextFactory>(services => new TracingContextFactory(services, Traces));
        builder.Services.AddSingleton(scene);
        builder.Services.AddSingleton(setting);
        builder.Services.AddControllers().ConfigureApplicationPartManager(static it => it.FeatureProviders.Add(new SceneController.Feature()));
        FrameworkParts.AddToAll(builder.Services);
        foreach (Part part in scene.Outer.Concat(scene.Inner))
        {
            part.Add?.Invoke(builder.Services);
        }

        if (setting.HasPool)
        {
            builder.Services.AddAdaptivePool(options =>
            {
                options.Guests = setting.Pool != Setting.Use.NoGuests;
                options.MinThreads = setting.MaxThreads is null ? null : 1;
                options.MaxThreads = setting.MaxThreads ?? options.MaxThreads;
            });
            builder.Services.AddTransactionGate("gate", static options => options.PermitLimit = 4);
        }

        WebApplication app = builder.Build();
        Configure(app);
        return app;
    }

    private void Configure(WebApplication app)
    {
        app.Use(static async (context, next) =>
        {
            await next(context);

            // Routing makes an empty collection of values where an endpoint is replaced by one that looks at its requests.
            IEnumerable<string> features = context.Features.Where(static it => it.Value is not null && it.Key != typeof(IRouteValuesFeature))
                .Select(static it => it.Key.FullName!)
                .Where(static it => !it.StartsWith("AdaptivePool.Hosting.", StringComparison.Ordinal)
                    || it.Contains(nameof(Sameness), StringComparison.Ordinal));
            Trace.Of(context).Add($"features {string.Join(' ', features.Order(StringComparer.Ordinal))}");
            Trace.Of(context).Add($"body {context.Features.Get<IHttpResponseBodyFeature>()?.GetType().Name}");
        });
        Add(app, "outer", scene.Outer);
        if (scene.Place == Scene.PlaceKind.OwnBranch)
        {
            app.MapWhen(static _ => true, branch =>
            {
                branch.UseRouting();
                AddBehind(branch);
                branch.UseEndpoints(Map);
            });
            return;
        }

        if (scene.RoutesByHand)
        {
            app.UseRouting();
        }

        AddBehind(app);
        Map(app);
    }

    private void AddBehind(IApplicationBuilder app)
    {
        if (scene.Place == Scene.PlaceKind.Branches)
        {
            app.UseWhen(static context => context.Request.Path.Value!.Length % 2 == 0, AddPool);
            app.UseWhen(static context => context.Request.Method == HttpMethods.Get, AddPool);
        }
        else
        {
            AddPool(app);
        }

        Add(app, "inner", scene.Inner);
        if (scene.Place == Scene.PlaceKind.Twice)
        {
            AddPool(app);
        }

        foreach (SceneEndpoint endpoint in scene.Endpoints.Where(static it => it.How == SceneEndpoint.Kind.Terminal))
        {
            app.Use(next => context => context.Request.Path == endpoint.Path ? Step.RunAsync(context, endpoint.Steps) : next(context));
        }
    }

    private void AddPool(IApplicationBuilder app)
    {
        if (setting.HasPool)
        {
            app.UseAdaptivePool();
        }

        Note(app, "behind the pool");
    }

    private void Add(IApplicationBuilder app, string where, IReadOnlyList<Part> parts)
    {
        foreach (Part part in parts)
        {
            part.Use(app);
            Note(app, $"{where} {part.Name}");
        }
    }

    private void Note(IApplicationBuilder app, string name)
    {
        if (scene.HasNotes)
        {
            app.Use((context, next) => NoteAsync(name, context, next));
        }
    }

    private static async Task NoteAsync(string name, HttpContext context, RequestDelegate next)
    {
        var trace = Trace.Of(context);
        trace.Add($"{name}: in");
        try
        {
            await next(context);
            trace.Add($"{name}: out {context.Response.StatusCode} {context.Response.HasStarted}");
        }
        catch (Exception exception)
        {
            trace.Add($"{name}: threw {Trace.Say(exception)} {context.Response.HasStarted}");
            throw;
        }
    }

    private void Map(IEndpointRouteBuilder routes)
    {
        foreach (SceneEndpoint endpoint in scene.Endpoints.Where(static it => it.How is not (SceneEndpoint.Kind.Terminal or SceneEndpoint.Kind.Action)))
        {
            Describe(MapOne(routes, endpoint), endpoint);
        }

        // All actions are one endpoint.
        var actions = routes.MapControllers();
        if (scene.Endpoints.FirstOrDefault(static it => it.How == SceneEndpoint.Kind.Action) is { } action)
        {
            Describe(actions, action);
        }

        routes.Map("/error", static async context =>
        {
            FlowSteps.Look(context);
            await Task.Yield();
            await context.Response.WriteAsync("error page");
        });
        routes.Map("/status", static (HttpContext context, string code) =>
        {
            FlowSteps.Look(context);
            return $"status page {code}";
        });
        routes.Map("/socket", SocketAsync);
        routes.Map("/wait", context => WaitAsync(context, _signal.Task));
        routes.Map("/signal", context =>
        {
            _signal.TrySetResult();
            return context.Response.WriteAsync("signalled");
        });
        routes.Map("/last", async context =>
        {
            var stopping = new TaskCompletionSource();
            await using var _ = context.RequestServices.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping.Register(stopping.SetResult);
            await WaitAsync(context, stopping.Task);
        });
    }

    private static IEndpointConventionBuilder MapOne(IEndpointRouteBuilder routes, SceneEndpoint endpoint) => endpoint.How switch
    {
        SceneEndpoint.Kind.Delegate => routes.Map(endpoint.Path, context => Step.RunAsync(context, endpoint.Steps)),
        SceneEndpoint.Kind.Minimal => routes.Map(
            endpoint.Path, (HttpContext context, string? query) => Step.RunAsync(context, query is null ? endpoint.Steps : [.. endpoint.Steps.Take(2)])),
        _ => routes.Map(endpoint.Path, async (HttpContext context) =>
            {
                await Step.RunAsync(context, endpoint.Steps);
                return context.Response.HasStarted ? Results.Empty : Results.Json("done");
            })
            .AddEndpointFilter(static async (context, next) =>
            {
                await Task.Yield();
                object? result = await next(context);
                Trace.Of(context.HttpContext).Add($"filter {result?.GetType().Name}");
                return result;
            }),
    };

    private void Describe(IEndpointConventionBuilder builder, SceneEndpoint endpoint)
    {
        _ = endpoint.Place switch
        {
            "shared" => builder.RunOnAdaptivePool("shared"),
            "disabled" => builder.DisableAdaptivePool(),
            "bounded" => builder.LimitQueue(100_000),
            "warns" => builder.OnBlocking(BlockingAction.Warn),
            "gate" when setting.HasPool => builder.RequireTransactionGate("gate"),
            _ => builder,
        };
        _ = endpoint.Policy switch
        {
            "authorized" => builder.RequireAuthorization(),
            "few" => builder.RequireRateLimiting(FrameworkParts.FewRequests),
            "cached" => builder.CacheOutput(),
            "cors" => builder.WithMetadata(new EnableCorsAttribute()),
            "no antiforgery" => builder.DisableAntiforgery(),
            "timeout" => builder.WithRequestTimeout(FrameworkParts.ShortTimeout),
            _ => builder,
        };
    }

    private static async Task WaitAsync(HttpContext context, Task task)
    {
        await context.Response.WriteAsync("begun ");
        Trace.Of(context).Add(Waits);
        await task;
        FlowSteps.Look(context);
        await context.Response.WriteAsync("ended");
    }

    private static async Task SocketAsync(HttpContext context)
    {
        if (!context.WebSockets.IsWebSocketRequest)
        {
            context.Response.StatusCode = StatusCodes.Status400BadRequest;
            return;
        }

        var trace = Trace.Of(context);
        using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync();
        byte[] buffer = new byte[100];
        try
        {
            while (await socket.ReceiveAsync(buffer.AsMemory(), CancellationToken.None) is { MessageType: not WebSocketMessageType.Close } message)
            {
                trace.Add($"message {message.Count}");
                FlowSteps.Look(context);
                await socket.SendAsync(buffer.AsMemory(0, message.Count), WebSocketMessageType.Text, endOfMessage: true, CancellationToken.None);
            }

            await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
        }
        catch (WebSocketException exception)
        {
            trace.Add($"socket {exception.WebSocketErrorCode} {exception.InnerException?.GetType().Name}");
        }
    }
}
