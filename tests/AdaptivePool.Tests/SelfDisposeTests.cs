using AdaptivePool.Admission;

namespace AdaptivePool.Tests;

/// <summary>Disposing from where the end of the pool waits for the caller: it returns, and the pool ends afterwards.</summary>
public sealed class SelfDisposeTests : PoolTest
{
    [Fact]
    public void Dispose_InALongRunningTask_Returns()
    {
        AdaptiveThreadPool pool = CreatePool();
        Eventually.End(pool.Factory.StartNew(pool.Dispose, TaskCreationOptions.LongRunning));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void DisposeAsync_InAFunctionThatHasLeftThePool_Returns(bool holdsLocals)
    {
        AdaptiveThreadPool pool = CreatePool();
        var local = new AsyncLocal<string>();
        if (holdsLocals)
        {
            local.Value = "flows";
        }

        Eventually.End(pool.Run(async () =>
        {
            await Task.Delay(1).ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            AdaptiveThreadPool.Current.ShouldBeNull();
            local.Value.ShouldBe(holdsLocals ? "flows" : null);
            await pool.DisposeAsync();
        }));
    }

    [Fact]
    public void DisposeAsync_InAFunctionThatHasLeftThePoolAndWhoseCallerLetNothingFlow_Returns()
    {
        AdaptiveThreadPool pool = CreatePool();
        Task function;
        using (ExecutionContext.SuppressFlow())
        {
            function = pool.Run(async () =>
            {
                await Task.Delay(1).ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
                AdaptiveThreadPool.Current.ShouldBeNull();
                await pool.DisposeAsync();
            });
        }

        Eventually.End(function);
    }

    [Fact]
    public void Dispose_InAContinuationThatRunsInsideTheEndOfAFunction_Returns()
    {
        AdaptiveThreadPool pool = CreatePool();
        var ends = new TaskCompletionSource();
        Task after = pool.Run(() => ends.Task).ContinueWith(
            _ => pool.Dispose(), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        Eventually.Be(() => pool.GetSnapshot() is { Completed: > 0, Running: 0 }, "the function must have been called");
        Eventually.End(Task.Run(ends.SetResult), "the thread that ends the function runs what follows it, and must not wait for itself");
        Eventually.End(after);
    }

    [Fact]
    public void Dispose_OnAnotherThreadThatAFunctionWaitsFor_Returns()
    {
        AdaptiveThreadPool pool = CreatePool();
        Eventually.End(pool.Run(async () => await Task.Run(pool.Dispose)));
    }

    [Fact]
    public void DisposeAsync_InAFunctionOfAnotherPoolThatAFunctionAwaits_Returns()
    {
        AdaptiveThreadPool outer = CreatePool();
        AdaptiveThreadPool inner = CreatePool();
        Eventually.End(outer.Run(() => inner.Run(async () =>
        {
            await outer.DisposeAsync();
            await inner.DisposeAsync();
        })));
    }

    [Fact]
    public void Dispose_InItsCallersCodeAfterAFunctionThatEndedOffThePool_Returns()
    {
        AdaptiveThreadPool pool = CreatePool();
        var ends = new TaskCompletionSource();
        using var awaits = new ManualResetEventSlim();
        Task caller = Call();
        Eventually.Set(awaits, "the function must begin");
        Eventually.Be(() => pool.GetSnapshot().Running == 0, "the function must stand at its await");
        Eventually.End(Task.Run(ends.SetResult), "the thread that ends the function must not run what follows it");
        Eventually.End(caller);

        async Task Call()
        {
            await pool.Run(async () =>
            {
                awaits.Set();
                await ends.Task.ConfigureAwait(false);
            }).ConfigureAwait(false);
            pool.Dispose();
        }
    }

    [Fact]
    public void Run_FunctionEndsOffThePool_TasksThatCombineItEndWithIt()
    {
        AdaptiveThreadPool pool = CreatePool();
        var ends = new TaskCompletionSource();
        Task combined = Task.WhenAll(pool.Run(() => ends.Task), Task.CompletedTask);
        Eventually.Be(() => pool.GetSnapshot() is { Completed: > 0, Running: 0 }, "the function must have been called");
        ends.SetResult();
        combined.IsCompleted.ShouldBeTrue("no thread is needed for that");
    }

    [Fact]
    public void DisposeAsync_AfterTheFunctionInItsCallersFlow_Waits()
    {
        AdaptiveThreadPool pool = CreatePool();
        Eventually.End(pool.Run(async () => await Task.Yield()));
        bool ended = false;
        using var open = new ManualResetEventSlim();
        Task item = pool.Run(() =>
        {
            open.Wait();
            ended = true;
        });
        ValueTask end = pool.DisposeAsync();
        end.IsCompleted.ShouldBeFalse("nothing of this flow is work of the pool");
        open.Set();
        Eventually.End(end.AsTask());
        ended.ShouldBeTrue();
        Eventually.End(item);
    }

    [Fact]
    public void Dispose_InAHandlerOfResized_Returns()
    {
        AdaptiveThreadPool pool = CreatePool();
        using var returned = new ManualResetEventSlim();
        pool.ClassResized += (_, _) =>
        {
            pool.Dispose();
            returned.Set();
        };
        pool.Resize(1, 8);
        Eventually.Set(returned, "the sizing thread must not wait for itself");
    }

    [Fact]
    public void Dispose_InAHandlerOfDeadlockChanged_Returns()
    {
        AdaptiveThreadPool pool =
            CreatePool(new AdaptivePoolOptions { Name = "deadlock", MaxThreads = 2, DeadlockTimeout = TimeSpan.FromMilliseconds(100), EmergencyThreads = 1 });
        using var open = new ManualResetEventSlim();
        using var returned = new ManualResetEventSlim();
        pool.DeadlockChanged += (_, _) =>
        {
            pool.Dispose();
            returned.Set();
        };
        Task stuck = pool.Run(open.Wait);
        Task opens = pool.Run(open.Set);
        Eventually.Set(returned, "the monitor must go on to lend the thread that ends the deadlock");
        Eventually.End(opens);
        Eventually.End(stuck);
    }

    [Fact]
    public void Dispose_InAHandlerOfWarned_Returns()
    {
        AdaptiveThreadPool pool =
            CreatePool(new AdaptivePoolOptions { DecisionLogFile = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName(), "decisions.jsonl") });
        using var returned = new ManualResetEventSlim();
        pool.Warned += (_, _) =>
        {
            pool.Dispose();
            returned.Set();
        };

        // The handler may have closed the pool by now, which refuses Run and no task.
        Eventually.End(pool.Factory.StartNew(static () => { }));
        Eventually.Set(returned, "whoever writes the log must not wait for the end of it");
    }

    [Fact]
    public void Dispose_InAHandlerOfAGatesWarned_Returns()
    {
        string file = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName(), "decisions.jsonl");
        using var gate = new TransactionGate(new TransactionGateOptions { Adaptive = true, DecisionLogFile = file });
        using var returned = new ManualResetEventSlim();
        gate.Warned += (_, _) =>
        {
            gate.Dispose();
            returned.Set();
        };
        Eventually.Set(returned, "the handler is told");
        Should.Throw<ObjectDisposedException>(() => gate.AttemptAcquire());
        gate.GetSnapshot().HandlerFaults.ShouldBe(0);
    }

    [Fact]
    public void Dispose_InAHandlerOfFaulted_Returns()
    {
        AdaptiveThreadPool pool = CreatePool();
        using var returned = new ManualResetEventSlim();
        pool.Faulted += (_, _) =>
        {
            pool.Dispose();
            returned.Set();
        };
        pool.UnsafeQueueUserWorkItem(new CallbackItem(static () => throw new InvalidOperationException("item")), preferLocal: false);
        Eventually.Set(returned, "a worker must not wait for itself");
    }
}
