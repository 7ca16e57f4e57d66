using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.DataProtection;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.FileProviders;

namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>Middleware of the framework.</summary>
internal static class FrameworkParts
{
    /// <summary>Names of policies that endpoints of a scene may ask for.</summary>
    public const string FewRequests = "few";
    public const string ShortTimeout = "short";

    public static Part[] All { get; } =
    [
        new("exception page", static app => app.UseDeveloperExceptionPage()),
        new("exception handler", static app => app.UseExceptionHandler(static branch => branch.Run(static async context =>
        {
            var error = context.Features.Get<IExceptionHandlerPathFeature>()!;
            await Task.Yield();
            await context.Response.WriteAsync($"handled {Trace.Say(error.Error)} of {error.Path} {error.Endpoint?.DisplayName}");
        }))),
        new("exception path", static app => app.UseExceptionHandler("/error")),
        new("problems", static app => app.UseExceptionHandler(), static services => services.AddProblemDetails()),
        new("status pages", static app => app.UseStatusCodePages()),
        new("status pages again", static app => app.UseStatusCodePagesWithReExecute("/status", "?code={0}")),
        new("status redirects", static app => app.UseStatusCodePagesWithRedirects("/status?code={0}")),
        new("compression", static app => app.UseResponseCompression(), static services => services.AddResponseCompression()),
        new("decompression", static app => app.UseRequestDecompression(), static services => services.AddRequestDecompression()),
        new("caching", static app => app.UseResponseCaching(), static services => services.AddResponseCaching()) { Remembers = true },
        new(
            "output cache",
            static app => app.UseOutputCache(),
            static services => services.AddOutputCache(static options => options.AddBasePolicy(static policy => policy.Expire(TimeSpan.FromHours(1)))))
        {
            Remembers = true,
        },
        new("session", static app => app.UseSession(), static services =>
        {
            services.AddDistributedMemoryCache();
            services.AddSession();
        }),
        new(
            "identity",
            static app =>
            {
                app.UseAuthentication();
                app.UseAuthorization();
            },
            static services =>
            {
                services.AddAuthorization();
                services.AddAuthentication("test").AddScheme<AuthenticationSchemeOptions, TestIdentity>("test", null);
            }),
        new("rate limiter", static app => app.UseRateLimiter(), static services => services.AddRateLimiter(static options =>
        {
            options.RejectionStatusCode = StatusCodes.Status429TooManyRequests;
            options.GlobalLimiter = PartitionedRateLimiter.Create<HttpContext, string>(static _ => RateLimitPartition.GetConcurrencyLimiter(
                "all", static _ => new ConcurrencyLimiterOptions { PermitLimit = 8, QueueLimit = 100 }));
            options.AddPolicy(FewRequests, static context => context.Request.Headers.ContainsKey(Trace.Header)
                ? RateLimitPartition.GetFixedWindowLimiter(
                    "few", static _ => new FixedWindowRateLimiterOptions { PermitLimit = 2, Window = TimeSpan.FromHours(1), AutoReplenishment = false })
                : RateLimitPartition.GetNoLimiter("none"));
        }))
        {
            Remembers = true,
        },
        new("timeouts", static app => app.UseRequestTimeouts(), static services => services.AddRequestTimeouts(static options =>
            options.AddPolicy(ShortTimeout, TimeSpan.FromMilliseconds(300)))),
        new("cors", static app => app.UseCors(), static services => services.AddCors(static options =>
            options.AddDefaultPolicy(static policy => policy.WithOrigins("http://scene").AllowAnyHeader()))),
        new("antiforgery", static app => app.UseAntiforgery(), static services => services.AddAntiforgery()),
        new("http log", static app => app.UseHttpLogging(), static services => services.AddHttpLogging(static _ => { })),
        new("sockets", static app => app.UseWebSockets()),
        new("files", static app => app.UseStaticFiles(new StaticFileOptions
        {
            FileProvider = new PhysicalFileProvider(AppContext.BaseDirectory),
            ServeUnknownFileTypes = true,
        })),
        new("path base", static app => app.UsePathBase("/base")),
        new("method override", static app => app.UseHttpMethodOverride()),
        new("host filter", static app => app.UseHostFiltering()),
        new("health", static app => app.UseHealthChecks("/healthy"), static services => services.AddHealthChecks()),
    ];

    public static void AddToAll(IServiceCollection services)
    {
        services.AddDataProtection().UseEphemeralDataProtectionProvider();
        services.AddHttpContextAccessor();
        services.AddScoped<ScopedThing>();
        services.AddRouting();
    }
}
