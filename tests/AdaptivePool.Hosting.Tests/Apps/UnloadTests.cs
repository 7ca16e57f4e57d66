using System.Net;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Apps;

/// <summary>A plugin may bring a web application with a copy of the library: nothing of the framework's that is static keeps one that has ended.</summary>
public sealed class UnloadTests
{
    [Fact]
    public async Task Unload_ApplicationHasServed_LibraryGoes()
    {
        // The framework remembered by which types a collection without metadata was asked, which all endpoints without any share.
        var copy = await ServeByCopyAsync();
        for (var i = 0; i < 1_000 && copy.IsAlive; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            await Task.Delay(10);
        }

        copy.IsAlive.ShouldBeFalse();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> ServeByCopyAsync()
    {
        var context = new AssemblyLoadContext("plugin", isCollectible: true);
        var library = context.LoadFromAssemblyPath(typeof(AdaptivePoolHostingOptions).Assembly.Location);
        library.ShouldNotBe(typeof(AdaptivePoolHostingOptions).Assembly);
        var use = Method(library, typeof(AdaptivePoolApplicationBuilderExtensions), nameof(AdaptivePoolApplicationBuilderExtensions.UseAdaptivePool));
        var add = Method(library, typeof(AdaptivePoolServiceCollectionExtensions), nameof(AdaptivePoolServiceCollectionExtensions.AddAdaptivePool));
        await using (var app = await TestApp.StartAsync(
            it =>
            {
                use.Invoke(null, [it]);
                it.MapGet("/", static () => "hi");
            },
            builder => add.Invoke(null, [builder.Services])))
        {
            (await app.Client.GetStringAsync("/")).ShouldBe("hi");
            using var none = await app.Client.GetAsync("/elsewhere");
            none.StatusCode.ShouldBe(HttpStatusCode.NotFound);

            // Answered by an endpoint of the framework that has no metadata.
            using var wrong = await app.Client.PostAsync("/", content: null);
            wrong.StatusCode.ShouldBe(HttpStatusCode.MethodNotAllowed);
        }

        context.Unload();
        return new WeakReference(context);
    }

    private static MethodInfo Method(Assembly library, Type type, string name) =>
        library.GetType(type.FullName!, throwOnError: true)!.GetMethods().Single(it => it.Name == name && it.GetParameters().Length == 1);
}
