using AdaptivePool.Guests;

namespace AdaptivePool.Tests.Guests;

/// <summary>What follows the awaits of a guest, and how its server is told of the end.</summary>
public sealed class GuestContextTests : PoolTest
{
    private static readonly Func<Func<Task>, Task> s_run = static function => function();

    [Fact]
    public void Server_AwaitsAGuest_GoesOnWhereTheGuestEndsUnderNoContext()
    {
        WorkClass workClass = Earn();
        (string stack, SynchronizationContext? context) = Eventually.Result(
            ServeAsync(workClass, static async () => await Task.Yield(), static () => Environment.StackTrace));

        // One more item of the runtime's pool otherwise.
        stack.ShouldContain(nameof(GuestContext));
        context.ShouldBeNull();
    }

    [Fact]
    public void Guest_EndsWhereItIsNotUnderItsContext_TheServerIsToldAllTheSame()
    {
        WorkClass workClass = Earn();
        (bool isPoolThread, SynchronizationContext? context) = Eventually.Result(ServeAsync(
            workClass, static async () => await Task.Delay(1).ConfigureAwait(false), static () => Thread.CurrentThread.IsThreadPoolThread));
        (isPoolThread, context).ShouldBe((true, null));
    }

    [Fact]
    public void Guest_ClassIsTakenInWhileItAwaits_TheServerIsToldUnderNoContext()
    {
        WorkClass workClass = Earn();
        var ready = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        long before = workClass.Guests!.Requests;
        Task<(bool Is, SynchronizationContext? Context)> served = ServeAsync(workClass, () => ready.Task, static () => true);
        Eventually.Be(() => workClass.Guests!.Requests > before, "it has begun");
        workClass.Guests!.TakeIn(TrustChange.Long);
        ready.SetResult();
        Eventually.Result(served).ShouldBe((true, null));
    }

    [Fact]
    public void Guest_Fails_TheServerSeesTheSameException()
    {
        WorkClass workClass = Earn();
        Task guest = Begin(workClass, static async () =>
        {
            await Task.Yield();
            throw new InvalidTimeZoneException("late");
        });
        Eventually.Be(() => guest.IsCompleted, "it ends");
        guest.IsFaulted.ShouldBeTrue();
        InvalidTimeZoneException thrown = Should.Throw<InvalidTimeZoneException>(guest.GetAwaiter().GetResult);
        thrown.Message.ShouldBe("late");
        thrown.StackTrace!.ShouldContain(nameof(Guest_Fails_TheServerSeesTheSameException));
    }

    [Fact]
    public void Guest_IsCancelled_StaysACancellationOfItsToken()
    {
        WorkClass workClass = Earn();
        using var cancellation = new CancellationTokenSource();
        Task guest = Begin(workClass, () => Task.Delay(Timeout.Infinite, cancellation.Token));
        cancellation.Cancel();
        Eventually.Be(() => guest.IsCompleted, "it ends");
        guest.IsCanceled.ShouldBeTrue();
        Should.Throw<OperationCanceledException>(guest.GetAwaiter().GetResult).CancellationToken.ShouldBe(cancellation.Token);
    }

    [Fact]
    public void Guest_FailsInSeveralWays_TheServerSeesThemAll()
    {
        // It saw the first one alone.
        WorkClass workClass = Earn();
        var one = new TaskCompletionSource();
        var two = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task guest = Begin(workClass, () => Task.WhenAll(one.Task, two.Task));

        // The runtime lists them in the order in which it hears of them: of the first one before this call returns.
        one.SetException(new InvalidTimeZoneException("one"));
        two.SetException(new InvalidTimeZoneException("two"));
        Eventually.Be(() => guest.IsCompleted, "it ends");
        guest.Exception!.InnerExceptions.Select(static it => it.Message).ShouldBe(["one", "two"]);
    }

    [Fact]
    public void Guest_FailsWithACancellation_StaysAFailure()
    {
        WorkClass workClass = Earn();
        var work = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task guest = Begin(workClass, () => work.Task);
        work.SetException(new TaskCanceledException());
        Eventually.Be(() => guest.IsCompleted, "it ends");
        guest.IsFaulted.ShouldBeTrue();
    }

    [Fact]
    public void Send_OneEndsInsideTheCallbackOfAnother_BothServersAreTold()
    {
        WorkClass workClass = Earn();
        var inner = new TaskCompletionSource();
        var outer = new TaskCompletionSource();
        (SynchronizationContext? innerContext, SynchronizationContext? outerContext) = (null, null);
        Task first = Begin(workClass, () => Await(inner.Task, () => innerContext = SynchronizationContext.Current));
        Task second = Begin(workClass, () => Await(outer.Task, () => outerContext = SynchronizationContext.Current));
        innerContext.ShouldNotBe(outerContext, "each request that is on its way has its own");
        RunOnServer(() => outerContext!.Send(
            _ =>
            {
                outer.SetResult();
                second.IsCompleted.ShouldBeTrue();
                innerContext!.Send(_ => inner.SetResult(), null);
                first.IsCompleted.ShouldBeTrue();
            },
            null));
        Eventually.End(Task.WhenAll(first, second));

        static Task Await(Task task, Action begin)
        {
            begin();
            return WaitAsync(task);
        }

        static async Task WaitAsync(Task task) => await task;
    }

    [Fact]
    public void Guest_WhatEndsItGoesOnForLong_TheServerIsToldAtOnce()
    {
        // It was told when that had returned: an answer whose end is the end of its request never ended beside a loop that waits for its next item.
        WorkClass workClass = Earn();
        using var goOn = new ManualResetEventSlim(false, spinCount: 0);
        try
        {
            var begins = new TaskCompletionSource();
            var answer = new TaskCompletionSource();
            Task guest = Begin(workClass, async () =>
            {
                _ = AnswerAndWaitAsync(begins.Task, answer);
                await answer.Task;
            });
            begins.SetResult();
            Eventually.End(guest);
        }
        finally
        {
            goOn.Set();
        }

        async Task AnswerAndWaitAsync(Task begins, TaskCompletionSource answer)
        {
            await begins;
            answer.SetResult();
            goOn.Wait();
        }
    }

    [Fact]
    public void Guest_WhatEndsItGoesOn_IsAGuestAgain()
    {
        WorkClass workClass = Earn();
        var begins = new TaskCompletionSource();
        var answer = new TaskCompletionSource();
        var goesOn = new TaskCompletionSource<bool>();
        Task guest = Begin(workClass, async () =>
        {
            _ = AnswerAndGoOnAsync();
            await answer.Task;
        });
        Task<bool> told = ServeAsync();
        begins.SetResult();
        (Eventually.Result(told), Eventually.Result(goesOn.Task)).ShouldBe((false, true), "the server's own code is no guest");

        async Task AnswerAndGoOnAsync()
        {
            await begins.Task;
            answer.SetResult();
            goesOn.SetResult(GuestSlot.Current.IsRunning);
        }

        async Task<bool> ServeAsync()
        {
            await guest.ConfigureAwait(false);
            return GuestSlot.Current.IsRunning;
        }
    }

    [Fact]
    public void Guests_ThatBranchAndLeaveThingsRunning_EachEndsOnce()
    {
        const int Requests = 20_000;
        WorkClass workClass = Earn();
        int ended = 0;
        int left = 0;
        RunOnServer(() => Task.WhenAll(Enumerable.Range(0, Requests).Select(ServeOneAsync)).GetAwaiter().GetResult());
        ended.ShouldBe(Requests);
        Eventually.Be(() => Volatile.Read(ref left) == Requests, "what was left running runs");

        async Task ServeOneAsync(int request)
        {
            await Task.Yield();
            await BeginHere(workClass, async () =>
            {
                _ = LeaveAsync();
                await Task.WhenAll(BranchAsync(request % 3), BranchAsync(request % 5));
            });
            Interlocked.Increment(ref ended);
        }

        async Task LeaveAsync()
        {
            await Task.Yield();
            await Task.Yield();
            Interlocked.Increment(ref left);
        }

        static async Task BranchAsync(int yields)
        {
            for (int i = 0; i < yields; i++)
            {
                await Task.Yield();
            }
        }
    }

    // Where trust was lost meanwhile it is queued, as a server does it.
    private static Task BeginHere(WorkClass workClass, Func<Task> function) =>
        workClass.TryRunAsGuest(s_run, function, out Task? task) ? task : workClass.Run(function);

    private static Task Begin(WorkClass workClass, Func<Task> function) => Eventually.Result(Task.Run(() => Task.FromResult(BeginHere(workClass, function))));

    private static Task<(T Seen, SynchronizationContext? Context)> ServeAsync<T>(WorkClass workClass, Func<Task> function, Func<T> look) => Task.Run(async () =>
    {
        workClass.TryRunAsGuest(s_run, function, out Task? task).ShouldBeTrue();
        await task;
        return (look(), SynchronizationContext.Current);
    });

    private static void RunOnServer(Action action) => Eventually.End(Task.Run(action));

    private WorkClass Earn()
    {
        WorkClass workClass = CreatePool().DefaultClass;
        bool isGuest = false;
        Eventually.Be(
            () =>
            {
                Task[] items = [.. Enumerable.Range(0, 512).Select(_ => workClass.Run(static () => { }))];
                Array.ForEach(items, static item => Eventually.End(item));
                RunOnServer(() => isGuest = workClass.TryRunAsGuest(s_run, static () => Task.CompletedTask, out _));
                return isGuest;
            },
            "short items that do not wait earn trust");
        return workClass;
    }
}
