using System.Reflection;
using System.Runtime.CompilerServices;
using AdaptivePool.Hosting.Tests.Apps;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Architecture;

public sealed class HostingLayerTests
{
    private static readonly Assembly s_core = typeof(AdaptiveThreadPool).Assembly;
    private static readonly Assembly s_hosting = typeof(AdaptivePoolHostingOptions).Assembly;

    [Fact]
    public void Core_Internals_AreNotVisibleToHosting()
    {
        var friends = s_core.GetCustomAttributes<InternalsVisibleToAttribute>().Select(static attribute => new AssemblyName(attribute.AssemblyName).Name);

        friends.ShouldNotContain(s_hosting.GetName().Name);
        s_hosting.GetCustomAttributes().ShouldNotContain(static attribute => attribute.GetType().Name == "IgnoresAccessChecksToAttribute");
    }

    [Fact]
    public void Hosting_References_AreTheFrameworkTheCoreAndBalancing()
    {
        var names = s_hosting.GetReferencedAssemblies().Select(static reference => reference.Name!).ToList();

        names.ShouldContain(s_core.GetName().Name);
        names.ShouldAllBe(static name => name == "AdaptivePool" || name == "AdaptivePool.Balancing"
            || name.StartsWith("System.", StringComparison.Ordinal)
            || name.StartsWith("Microsoft.AspNetCore.", StringComparison.Ordinal)
            || name.StartsWith("Microsoft.Extensions.", StringComparison.Ordinal));
    }

    [Fact]
    public void Hosting_PublicTypes_AreTheExpectedOnes() =>
        s_hosting.GetExportedTypes().Select(static type => type.FullName).Order(StringComparer.Ordinal).ShouldBe(
        [
            "AdaptivePool.Hosting.AdaptivePoolHostingOptions",
            "AdaptivePool.Hosting.DisableAdaptivePoolAttribute",
            "AdaptivePool.Hosting.LimitQueueAttribute",
            "AdaptivePool.Hosting.LoadReportingOptions",
            "AdaptivePool.Hosting.OnBlockingAttribute",
            "AdaptivePool.Hosting.OverloadRule",
            "AdaptivePool.Hosting.RequireTransactionGateAttribute",
            "AdaptivePool.Hosting.RunOnAdaptivePoolAttribute",
            "Microsoft.AspNetCore.Builder.AdaptivePoolApplicationBuilderExtensions",
            "Microsoft.AspNetCore.Builder.AdaptivePoolEndpointConventionBuilderExtensions",
            "Microsoft.AspNetCore.Builder.TransactionGateApplicationBuilderExtensions",
            "Microsoft.AspNetCore.Builder.TransactionGateEndpointConventionBuilderExtensions",
            "Microsoft.Extensions.DependencyInjection.AdaptivePoolHealthChecksBuilderExtensions",
            "Microsoft.Extensions.DependencyInjection.AdaptivePoolServiceCollectionExtensions",
            "Microsoft.Extensions.DependencyInjection.LoadReportingExtensions",
            "Microsoft.Extensions.DependencyInjection.TransactionGateServiceCollectionExtensions",
        ]);

    [Fact]
    public void Whereabouts_OffThePools_IsNeither()
    {
        var place = "";
        var thread = new Thread(() => place = Whereabouts.Here());
        thread.Start();
        thread.Join(TestApp.Patience).ShouldBeTrue();

        place.ShouldBe("neither");
    }
}
