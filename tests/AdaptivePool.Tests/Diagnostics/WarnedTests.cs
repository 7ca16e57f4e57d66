using System.Collections.Concurrent;

namespace AdaptivePool.Tests.Diagnostics;

/// <summary>A warning is told to those who listen; one that nobody hears waits for the first who does.</summary>
public sealed class WarnedTests : PoolTest
{
    private readonly string _missing = Path.Combine(Path.GetTempPath(), "adaptivepool-" + Guid.NewGuid().ToString("N"), "decisions.jsonl");

    [Fact]
    public void Warning_HandlersComeAndGo_IsHeardByOneOfThemOnce()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { DecisionLogFile = _missing });
        var heard = new ConcurrentQueue<string>();
        int late = 0;
        void Away(object? sender, string message) => heard.Enqueue(message);

        // The file may be tried while the first handler is there, which hears it then.
        pool.Warned += Away;
        pool.Warned -= Away;
        Eventually.Result(pool.Run(static () => 3)).ShouldBe(3);

        pool.Warned += (_, message) => heard.Enqueue(message);
        Eventually.Be(() => !heard.IsEmpty, "the warning is told");
        pool.Warned += (_, _) => Interlocked.Increment(ref late);

        heard.Single().ShouldContain("decisions.jsonl");
        Volatile.Read(ref late).ShouldBe(0, "it was told already");
    }

    [Fact]
    public void Handler_Throws_IsAFaultOfThePoolAndNoMore()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { DecisionLogFile = _missing });
        pool.Warned += static (_, _) => throw new InvalidOperationException("handler");
        Eventually.Result(pool.Run(static () => 3)).ShouldBe(3);
        Eventually.Be(pool, static s => s.Faulted == 1, "what a handler throws is counted");
        Eventually.Result(pool.Run(static () => 4)).ShouldBe(4);
    }

    [Fact]
    public void Warning_ToldToTheThreadThatAddsTheHandler_LeavesItAThreadOfTheUsers()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { DecisionLogFile = _missing });
        Eventually.Result(pool.Run(static () => 3)).ShouldBe(3);
        Eventually.Be(() => pool.Warnings.HasUntold, "the thread of the log has met the missing folder");

        int heard = 0;
        pool.Warned += (_, _) => heard = Environment.CurrentManagedThreadId;
        heard.ShouldBe(Environment.CurrentManagedThreadId);

        // A thread of the pool would not wait here: it may be what the item waits for.
        using var closing = new ManualResetEventSlim();
        bool finished = false;
        Task item = pool.Run(() =>
        {
            closing.Wait();
            Volatile.Write(ref finished, true);
        });
        var release = new Thread(() =>
        {
            Eventually.Be(() => Refuses(pool), "the pool closes");
            Thread.Sleep(50);
            closing.Set();
        });
        release.Start();
        pool.Dispose();
        Volatile.Read(ref finished).ShouldBeTrue("Dispose returned before the item ended");
        release.Join();
        item.IsCompleted.ShouldBeTrue();
    }

    private static bool Refuses(AdaptiveThreadPool pool)
    {
        try
        {
            _ = pool.Run(static () => 0);
            return false;
        }
        catch (ObjectDisposedException)
        {
            return true;
        }
    }
}
