using System.Collections.Frozen;
using AdaptivePool.Dispatch;
using AdaptivePool.Stacks;

namespace AdaptivePool.Tests.Stacks;

public sealed class WaitSiteRuleTests
{
    private const string CoreLib = "System.Private.CoreLib";
    private static readonly FrameName s_hook = new("AdaptivePool", "AdaptivePool.Dispatch.PoolSynchronizationContext", "Wait");
    private static readonly FrameName s_invoke = Framework("System.Threading.SynchronizationContext", "InvokeWaitMethodHelper");
    private static readonly ProgramCode s_program = new(new[] { "Npgsql", "Dapper" }.ToFrozenSet(), "Bank");
    private static readonly FrameName s_driver = new("Npgsql", "Npgsql.Internal.NpgsqlReadBuffer", "EnsureLong");
    private static readonly FrameName s_mapper = new("Dapper", "Dapper.SqlMapper", "Query");
    private static readonly FrameName s_generated = new("Anonymously Hosted DynamicMethods Assembly", "", "lambda_method11");
    private static readonly FrameName s_worker = new("AdaptivePool", "AdaptivePool.Dispatch.Worker", "Invoke");
    private static readonly FrameName s_user = new("Bank", "Bank.LegacyClient", "Get");

    [Fact]
    public void Find_TaskResult_NamesTheCallerAndTheOutermostCall()
    {
        WaitSite site = Find(
            Framework("System.Threading.Monitor", "Wait"),
            Framework("System.Threading.ManualResetEventSlim", "Wait"),
            Framework("System.Threading.Tasks.Task", "InternalWaitCore"),
            Framework("System.Threading.Tasks.Task`1", "GetResultCore"),
            s_user);
        site.ShouldBe(new WaitSite("Bank.LegacyClient.Get", "Task.Result", MayThrow: true, IsOwn: false, WaitTarget.Task));
    }

    [Theory]
    [InlineData("System.Threading.Tasks.Task", "InternalWait", "Task.Wait", true)]
    [InlineData("System.Threading.Tasks.Task", "WaitAllCore", "Task.WaitAll", true)]
    [InlineData("System.Threading.Tasks.Task", "WaitAnyCore", "Task.WaitAny", true)]
    [InlineData("System.Runtime.CompilerServices.TaskAwaiter`1", "GetResult", "GetAwaiter().GetResult()", true)]
    [InlineData("System.Runtime.CompilerServices.ConfiguredTaskAwaitable`1+ConfiguredTaskAwaiter", "GetResult", "GetAwaiter().GetResult()", true)]
    [InlineData("System.Threading.SemaphoreSlim", "WaitCore", "SemaphoreSlim", true)]
    [InlineData("System.Threading.WaitHandle", "WaitOneNoCheck", "event", true)]
    [InlineData("System.Threading.Thread", "Join", "Thread.Join", true)]
    [InlineData("System.Threading.Monitor", "ObjWait", "Monitor.Wait", false)]
    [InlineData("System.Threading.Monitor", "Enter_Slowpath", "lock", false)]
    [InlineData("System.Threading.Lock", "TryEnterSlow", "lock", false)]
    public void Find_CallOfAWait_IsNamed(string type, string method, string kind, bool mayThrow)
    {
        WaitSite site = Find(Framework(type, method), s_user);
        site.Kind.ShouldBe(kind);
        site.Method.ShouldBe("Bank.LegacyClient.Get");
        site.MayThrow.ShouldBe(mayThrow);
    }

    [Theory]
    [InlineData("System.Threading.SemaphoreSlim", "Release")]
    [InlineData("System.Threading.SemaphoreSlim", "WaitAsync")]
    [InlineData("System.Threading.SemaphoreSlim+<WaitUntilCountOrTimeoutAsync>d__32", "MoveNext")]
    [InlineData("System.Threading.ManualResetEventSlim", "Set")]
    [InlineData("System.Threading.CountdownEvent", "Signal")]
    [InlineData("System.Threading.Tasks.Task", "ContinueWith")]
    [InlineData("System.Threading.Tasks.Task", "WhenAll")]
    [InlineData("System.Threading.Tasks.Task`1", "TrySetResult")]
    [InlineData("System.Threading.Tasks.Task`1", "WaitAsync")]
    [InlineData("System.Runtime.CompilerServices.TaskAwaiter", "UnsafeOnCompleted")]
    public void Find_LockInsideACallThatDoesNotWait_IsALockAndNeverThrownOutOf(string type, string method)
    {
        WaitSite site = Find(Framework("System.Threading.Monitor", "Enter_Slowpath"), Framework(type, method), s_user);
        site.ShouldBe(new WaitSite("Bank.LegacyClient.Get", "lock", MayThrow: false, IsOwn: false, WaitTarget.Local));
        Findings.Decide(BlockingAction.Throw, site).ShouldBe(BlockingAction.Warn);
    }

    [Theory]
    [InlineData("System.Threading.WaitHandle", "SignalAndWait", "event")]
    [InlineData("System.Threading.Barrier", "SignalAndWait", "event")]
    [InlineData("System.Threading.Tasks.Task", "InternalRunSynchronously", "Task.Wait")]
    [InlineData("System.Runtime.CompilerServices.TaskAwaiter", "HandleNonSuccessAndDebuggerNotification", "GetAwaiter().GetResult()")]
    public void Find_WaitUnderAnotherName_MayBeThrownOutOf(string type, string method, string kind)
    {
        WaitSite site = Find(Framework("System.Threading.Monitor", "Wait"), Framework(type, method), s_user);
        site.Kind.ShouldBe(kind);
        Findings.Decide(BlockingAction.Throw, site).ShouldBe(BlockingAction.Throw);
    }

    [Fact]
    public void Find_WaitInsideTheFramework_IsNotThrownOutOf()
    {
        WaitSite site = Find(Framework("System.Threading.Tasks.Task", "Wait"), Framework("System.Net.Http.HttpClient", "Send", "System.Net.Http"), s_user);
        site.Method.ShouldBe("Bank.LegacyClient.Get");
        site.Kind.ShouldBe("Task.Wait");
        site.MayThrow.ShouldBeFalse();
    }

    [Fact]
    public void Find_SocketWaitBeforeATask_IsNoWaitForATask() =>
        Find(Framework("System.Net.Sockets.SocketAsyncContext", "PerformSyncOperation", "System.Net.Sockets"),
            Framework("System.Threading.Tasks.Task", "Wait"), s_user).Target.ShouldBe(WaitTarget.Network);

    [Fact]
    public void Find_NoFrameOfAWait_IsALock()
    {
        WaitSite site = Find(s_user);
        site.Kind.ShouldBe("lock");
        site.MayThrow.ShouldBeFalse();
    }

    [Fact]
    public void Find_PoolWaitsForItself_IsOwn() =>
        Find(Framework("System.Threading.Tasks.Task", "Wait"), new FrameName("AdaptivePool", "AdaptivePool.AdaptiveThreadPool", "Dispose"),
            s_user).IsOwn.ShouldBeTrue();

    [Fact]
    public void Find_ItemIsTheFrameworksOwn_NamesTheFrameworksMethod()
    {
        WaitSite site = Find(
            Framework("System.Threading.Tasks.Task", "Wait"),
            Framework("System.Threading.Tasks.Parallel", "For"),
            new FrameName("AdaptivePool", "AdaptivePool.Dispatch.Worker", "Invoke"));
        site.IsOwn.ShouldBeFalse();
        site.Method.ShouldBe("System.Threading.Tasks.Parallel.For");
    }

    [Fact]
    public void Find_MethodMadeAtRunTime_HasNoNameButMayBeThrownOutOf()
    {
        WaitSite site = Find(Framework("System.Threading.Tasks.Task`1", "GetResultCore"), new FrameName("", "", "lambda_method1"),
            Framework("Microsoft.AspNetCore.Routing.EndpointMiddleware", "Invoke", "Microsoft.AspNetCore.Routing"));
        site.Method.ShouldBeNull();
        site.Kind.ShouldBe("Task.Result");
        site.MayThrow.ShouldBeTrue();
    }

    [Theory]
    [InlineData("System.Threading.Tasks.Task", "ExecuteEntry")]
    [InlineData("System.Threading.Tasks.Task`1", "InnerInvoke")]
    [InlineData("System.Threading.ExecutionContext", "RunInternal")]
    public void Find_OptimizedDelegateJumpedIntoItsWait_IsThatWaitAndMayBeThrownOutOf(string type, string method)
    {
        FrameName[] task = [Framework("System.Threading.ManualResetEventSlim", "Wait"), Framework(type, method),
            Framework("System.Threading.Tasks.Task", "ExecuteEntry")];
        WaitSite site = Find([.. task, s_worker]);
        site.ShouldBe(new WaitSite(null, "event", MayThrow: true, IsOwn: false, WaitTarget.Local));

        // A task that the program's thread ran while it waited for it.
        site = Find([.. task, Framework("System.Threading.Tasks.Task", "InternalWait"), s_user]);
        site.Method.ShouldBe("Bank.LegacyClient.Get");
        site.Kind.ShouldBe("event");
        site.MayThrow.ShouldBeTrue();
    }

    [Fact]
    public void Find_OptimizedDelegateOfAWorkItemJumpedIntoItsWait_IsThatWaitAndMayBeThrownOutOf() =>
        Find(Framework("System.Threading.Tasks.Task", "InternalWait"), s_worker)
            .ShouldBe(new WaitSite(null, "Task.Wait", MayThrow: true, IsOwn: false, WaitTarget.Task));

    [Fact]
    public void Find_TaskOfTheFrameworkWaits_NamesItsMethodAndIsNotThrownOutOf()
    {
        WaitSite site = Find(Framework("System.Threading.Monitor", "Wait"), Framework("System.Threading.Tasks.Parallel", "For"),
            Framework("System.Threading.Tasks.Task", "ExecuteEntry"), s_worker);
        site.Method.ShouldBe("System.Threading.Tasks.Parallel.For");
        site.Kind.ShouldBe("Monitor.Wait");
        site.MayThrow.ShouldBeFalse();
    }

    [Fact]
    public void Find_EmptyStack_HasNoMethod() => WaitSiteRule.Find([], s_program).Method.ShouldBeNull();

    [Fact]
    public void Find_WaitInsideADriver_NamesTheProgramsMethodAndIsTheDriversWait()
    {
        WaitSite site = Find(Framework("System.Threading.Tasks.Task", "Wait"), s_driver, s_mapper, s_user);
        site.ShouldBe(new WaitSite("Bank.LegacyClient.Get", "Task.Wait", MayThrow: true, IsOwn: false, WaitTarget.Task));
    }

    [Fact]
    public void Find_NothingButADriver_HasNoName() =>
        Find(Framework("System.Threading.Monitor", "Wait"), s_driver, Framework("System.Threading.ExecutionContext", "RunInternal"),
            s_worker).Method.ShouldBeNull();

    [Fact]
    public void Find_CompiledQueryOfALibrary_GoesOnToTheProgramsMethod() =>
        Find(Framework("System.Threading.Monitor", "Wait"), s_driver, s_generated,
            Framework("Microsoft.EntityFrameworkCore.Query.QueryingEnumerable", "MoveNext", "Microsoft.EntityFrameworkCore"), s_user)
            .Method.ShouldBe("Bank.LegacyClient.Get");

    [Fact]
    public void Find_RouteHandlerMadeAtRunTime_DoesNotNameTheProgramsMiddlewareAroundIt() =>
        Find(
            Framework("System.Threading.Tasks.Task", "Wait"),
            s_driver,
            s_generated,
            Framework("Microsoft.AspNetCore.Routing.EndpointMiddleware", "Invoke", "Microsoft.AspNetCore.Routing"),
            new FrameName("Bank", "Bank.TimingMiddleware", "InvokeAsync")).Method.ShouldBeNull();

    [Fact]
    public void Find_GatedConnectionWaits_IsThePoolsOwnButNamesTheProgramsMethod()
    {
        WaitSite site = Find(Framework("System.Threading.Monitor", "Wait"), new FrameName("AdaptivePool", "AdaptivePool.Admission.GatedConnection", "Open"),
            s_mapper, s_user);
        site.IsOwn.ShouldBeTrue();
        site.Method.ShouldBe("Bank.LegacyClient.Get");
    }

    [Fact]
    public void Find_PackagesNotKnown_NamesTheEntryAssemblyElseTheOutermost()
    {
        var program = new ProgramCode(null, "Shop");
        FrameName[] stack = [s_hook, s_invoke, Framework("System.Threading.Monitor", "Wait"), s_driver, s_user, Framework("System.Action", "Invoke")];
        WaitSiteRule.Find(stack, program).Method.ShouldBe("Bank.LegacyClient.Get");
        WaitSiteRule.Find([.. stack, new FrameName("Shop", "Shop.Cart", "Add"), new FrameName("Other", "Other.Job", "Run")],
            program).Method.ShouldBe("Shop.Cart.Add");
    }

    private static WaitSite Find(params FrameName[] frames) => WaitSiteRule.Find([s_hook, s_invoke, .. frames], s_program);

    private static FrameName Framework(string type, string method, string assembly = CoreLib) => new(assembly, type, method);
}
