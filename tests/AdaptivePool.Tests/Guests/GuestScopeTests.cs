using System.Collections.Concurrent;

namespace AdaptivePool.Tests.Guests;

/// <summary>A guest inside <see cref="BlockingScope"/> may block where blocking is forbidden, as an item on a worker may.</summary>
public sealed class GuestScopeTests : PoolTest
{
    private static readonly Func<Func<Task>, Task> s_run = static function => function();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void StrictMode_InsideAScope_MayBlockUntilItsEnd(bool isOfThePool)
    {
        AdaptiveThreadPool pool = CreatePool();
        bool isOver = false;
        Guest(pool, () =>
        {
            AdaptiveThreadPool.CurrentBlockingAction = BlockingAction.Throw;
            BlockingScope scope = isOfThePool ? pool.Blocking("intended") : BlockingScope.Enter("intended");
            BlocksShortly();
            using (BlockingScope.Enter())
            {
                BlocksShortly();
            }

            BlocksShortly();
            scope.Dispose();
            Should.Throw<BlockingNotAllowedException>(BlocksShortly);
            using (BlockingScope.Enter())
            {
                scope.Dispose();
                BlocksShortly();
            }

            Should.Throw<BlockingNotAllowedException>(BlocksShortly);
            isOver = true;
            return Task.CompletedTask;
        });
        isOver.ShouldBeTrue();
    }

    [Fact]
    public void StrictMode_ScopeThatAGuestLeftOpen_EndsWithIt()
    {
        AdaptiveThreadPool pool = CreatePool();
        BlockingScope left = default;
        Guest(
            pool,
            () =>
            {
                left = BlockingScope.Enter();
                return Task.CompletedTask;
            },
            () =>
            {
                AdaptiveThreadPool.CurrentBlockingAction = BlockingAction.Throw;
                Should.Throw<BlockingNotAllowedException>(BlocksShortly);
                using (BlockingScope.Enter())
                {
                    left.Dispose();
                    BlocksShortly();
                }

                return Task.CompletedTask;
            });
    }

    [Fact]
    public void StrictMode_GuestInsideAScopeOfAnotherGuest_HasNone()
    {
        WorkClass workClass = GuestTests.Earn(CreatePool());
        Func<Task> inner = static () =>
        {
            AdaptiveThreadPool.CurrentBlockingAction = BlockingAction.Throw;
            Should.Throw<BlockingNotAllowedException>(BlocksShortly);
            return Task.CompletedTask;
        };
        Eventually.End(Task.Run(() => workClass.TryRunAsGuest(
            s_run,
            () =>
            {
                using (BlockingScope.Enter())
                {
                    workClass.TryRunAsGuest(s_run, inner, out Task? ran).ShouldBeTrue();
                    ran.IsCompletedSuccessfully.ShouldBeTrue();
                    BlocksShortly();
                }

                return Task.CompletedTask;
            },
            out _).ShouldBeTrue()));
    }

    [Fact]
    public void StrictMode_ScopeOfAnotherPool_ChangesNothing()
    {
        AdaptiveThreadPool other = CreatePool();
        Guest(CreatePool(), () =>
        {
            AdaptiveThreadPool.CurrentBlockingAction = BlockingAction.Throw;
            using (other.Blocking())
            {
                Should.Throw<BlockingNotAllowedException>(BlocksShortly);
            }

            return Task.CompletedTask;
        });
    }

    [Fact]
    public void Warn_InsideAScope_IsNotTold()
    {
        AdaptiveThreadPool pool = CreatePool();
        var found = new ConcurrentQueue<Blocker>();
        pool.BlockingFound += (_, blocker) => found.Enqueue(blocker);
        Guest(pool, static () =>
        {
            AdaptiveThreadPool.CurrentBlockingAction = BlockingAction.Warn;
            using (BlockingScope.Enter())
            {
                BlocksShortly();
            }

            BlocksElsewhere();
            return Task.CompletedTask;
        });
        Eventually.Be(() => !found.IsEmpty, "a wait outside is told");
        found.ShouldHaveSingleItem().Method!.ShouldEndWith(nameof(BlocksElsewhere));
    }

    [Fact]
    public void TryRunAsGuest_FunctionReturnsNull_Throws()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = GuestTests.Earn(pool);
        Eventually.End(Task.Run(() =>
        {
            Should.Throw<InvalidOperationException>(() => workClass.TryRunAsGuest(s_run, static () => null!, out _)).Message.ShouldContain("null");
            SynchronizationContext.Current.ShouldBeNull();
        }));
    }

    // On one thread of a server, one after the other.
    private static void Guest(AdaptiveThreadPool pool, params Func<Task>[] functions)
    {
        WorkClass workClass = GuestTests.Earn(pool);
        Eventually.End(Task.Run(() => Array.ForEach(functions, function => workClass.TryRunAsGuest(s_run, function, out _).ShouldBeTrue())));
    }

    private static void BlocksShortly()
    {
        using var signal = new AutoResetEvent(true);
        signal.WaitOne();
    }

    private static void BlocksElsewhere()
    {
        using var signal = new AutoResetEvent(true);
        signal.WaitOne();
    }
}
