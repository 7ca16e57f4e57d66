namespace AdaptivePool.Tests.Contracts.Programs;

/// <summary>
/// Programs made by chance give what they must, whatever they combine: each part alone has its tests elsewhere. Each seed is a pool of its own with eight
/// programs at once. The runtime's pool is the control.
/// </summary>
[Collection(RuntimePoolCollection.Name)]
public sealed class RandomProgramTests : PoolTest
{
    private const int Seeds = 40;
    private const int AtOnce = 8;

    // Enough for all parts that block at once: eight programs of 40 parts.
    private const int ManyThreads = 400;

    // Threads that the runtime's pool starts without delay. It keeps them for a while, so no more than other tests of this collection are prepared for.
    private const int RuntimeThreads = 64;

    [Fact]
    public void Programs_OnTheRuntimesPool_GiveWhatTheyMust()
    {
        ThreadPool.GetMinThreads(out int workers, out int ports);
        ThreadPool.SetMinThreads(Math.Max(workers, RuntimeThreads), ports);
        try
        {
            Check(ProgramParts.All, static () => null);
        }
        finally
        {
            ThreadPool.SetMinThreads(workers, ports);
        }
    }

    [Fact]
    public void Programs_OnAPool_GiveWhatTheyMust() => Check(ProgramParts.All, () => CreatePool(new AdaptivePoolOptions { MaxThreads = ManyThreads }));

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Programs_ThatNeverBlockOnFewThreads_GiveWhatTheyMust(int threads) =>
        Check(ProgramParts.NonBlocking, () => CreatePool(new AdaptivePoolOptions { MaxThreads = threads }));

    // What has left the pool is refused there from then on, as the documentation says.
    [Fact]
    public void Programs_WhosePoolIsDisposedMeanwhile_GiveWhatTheyMust() => Check(
        ProgramParts.Staying, () => CreatePool(new AdaptivePoolOptions { MaxThreads = ManyThreads }), static pool => Eventually.End(Task.Run(pool!.Dispose)));

    private static void Check(ProgramPart[] parts, Func<AdaptiveThreadPool?> create, Action<AdaptiveThreadPool?>? meanwhile = null)
    {
        for (int seed = 1; seed <= Seeds; seed++)
        {
            var random = new Random(seed);
            RandomProgram[] programs = [.. Enumerable.Range(0, AtOnce).Select(_ => RandomProgram.Make(random, parts))];
            var host = new ProgramHost(create());
            Task<(int, int?)>[] running = [.. programs.Select(program => host.Run(() => program.Try(host)))];
            meanwhile?.Invoke(host.Pool);
            foreach ((RandomProgram program, Task<(int, int?)> result) in programs.Zip(running))
            {
                Eventually.Result(result, $"program of seed {seed} must end: {program}").ShouldBe(program.Expected(), $"seed {seed}: {program}");
            }

            host.Faults.ShouldBeEmpty($"seed {seed}");
            host.Pool?.Dispose();
        }
    }
}
