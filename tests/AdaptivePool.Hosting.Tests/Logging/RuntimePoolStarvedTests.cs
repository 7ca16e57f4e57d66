using System.Reflection;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Logging;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Logging;

/// <summary>What log and health check say while something blocks all threads of the runtime's pool.</summary>
[Collection(WholeProcessCollection.Name)]
public sealed class RuntimePoolStarvedTests
{
    private const int MoreThanItHasThreads = 200;
    private const string Told = "The runtime's thread pool is starved";

    [Fact]
    public async Task Log_TasksBlockTheRuntimesPool_IsOneLineAndTheHealthCheckIsDegraded_AndADeadlockIsToldBeforeIt()
    {
        ForgetWhatWasTold();
        var log = new RecordedLog();
        await using var app = await TestApp.StartAsync(
            static it => it.UseAdaptivePool(),
            builder =>
            {
                builder.Logging.AddProvider(log);
                builder.Services.AddAdaptivePool("reports", static options =>
                {
                    options.MaxThreads = 2;
                    options.DeadlockTimeout = TimeSpan.FromMilliseconds(300);
                });
                builder.Services.AddHealthChecks().AddAdaptivePool();
            });
        var reports = app.Application.Services.GetRequiredKeyedService<AdaptiveThreadPool>("reports");
        using var open = new ManualResetEventSlim();
        var blockers = Enumerable.Range(0, MoreThanItHasThreads).Select(_ => Task.Run(open.Wait)).ToList();
        try
        {
            Until(() => Lines(log).Any());
            Until(() => DirectCheck.Check(app).Status == HealthStatus.Degraded);
            blockers.AddRange(Enumerable.Range(0, 4).Select(_ => reports.Run(open.Wait)));
            Until(() => DirectCheck.Check(app).Status == HealthStatus.Unhealthy);
            var description = DirectCheck.Check(app).Description.ShouldNotBeNull();
            description.ShouldMatch(@"^Pool 'reports(-\d+)?' is deadlocked");
            description.Split(Told).Length.ShouldBe(2, "each of the two pools tells of the runtime's: " + description);
        }
        finally
        {
            open.Set();
        }

        await Task.WhenAll(blockers);
        Until(() => DirectCheck.Check(app).Status == HealthStatus.Healthy);
        Lines(log).ShouldHaveSingleItem().ShouldContain(Told);
    }

    // It is told once in a process, and a test before this one may have held up the runtime's pool for long enough.
    private static void ForgetWhatWasTold()
    {
        Type type = typeof(AdaptiveThreadPool).Assembly.GetType("AdaptivePool.Runtime.RuntimePoolWatch", throwOnError: true)!;
        object watch = type.GetProperty("Process", BindingFlags.Public | BindingFlags.Static).ShouldNotBeNull().GetValue(null).ShouldNotBeNull();
        Forget(watch);
        if (FieldOf(watch, "_probe").GetValue(watch) is { } probe)
        {
            Forget(probe);
        }
    }

    private static void Forget(object holder) => FieldOf(holder, "_isTold").SetValue(holder, false);

    private static FieldInfo FieldOf(object holder, string name) =>
        holder.GetType().GetField(name, BindingFlags.NonPublic | BindingFlags.Instance).ShouldNotBeNull();

    private static IEnumerable<string> Lines(RecordedLog log) =>
        log.Lines.Where(static line => line is (LogLevel.Warning, "RuntimePoolStarved", _)).Select(static line => line.Text);

    private static void Until(Func<bool> condition) => SpinWait.SpinUntil(condition, TestApp.Patience).ShouldBeTrue();
}
