namespace AdaptivePool.Tests.Diagnostics;

/// <summary>A warning is told to those who listen; one that nobody hears waits for the first who does.</summary>
public sealed class WarnedTests : PoolTest
{
    private readonly string _missing = Path.Combine(Path.GetTempPath(), "adaptivepool-" + Guid.NewGuid().ToString("N"), "decisions.jsonl");

    [Fact]
    public void Handler_TakenAway_HearsNothing_AndTheFirstThatComesAfterHearsItOnce()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { DecisionLogFile = _missing });
        int away = 0;
        int late = 0;
        var heard = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        void Away(object? sender, PoolWarningEventArgs e) => Interlocked.Increment(ref away);
        pool.Warned += Away;
        pool.Warned -= Away;
        Eventually.Result(pool.Run(static () => 3)).ShouldBe(3);

        pool.Warned += (_, e) => heard.TrySetResult(e.Message);
        Eventually.Result(heard.Task).ShouldContain("decisions.jsonl");
        pool.Warned += (_, _) => Interlocked.Increment(ref late);

        Volatile.Read(ref away).ShouldBe(0);
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
}
