using AdaptivePool.Hosting.Tests.Apps;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>What tests of guests ask of an app.</summary>
internal static class GuestApps
{
    public const string OnPool = "pool";
    public const string OnServer = "server";

    /// <summary>The minimum of threads of the runtime's pool.</summary>
    public static int Minimum()
    {
        ThreadPool.GetMinThreads(out int threads, out _);
        return threads;
    }

    /// <summary>Which threads the caller runs on.</summary>
    public static string Where() => AdaptiveThreadPool.Current is null ? OnServer : OnPool;

    public static WorkClassSnapshot Snapshot(TestApp app, string name) => app.Pool.GetSnapshot().Classes.Single(it => it.Name == name);

    public static async Task AskAsync(TestApp app, string path, int times)
    {
        for (int i = 0; i < times; i++)
        {
            await app.GetAsync(path);
        }
    }

    /// <summary>Asks until the class of an endpoint has guests. The first requests are compiled, and a busy machine makes others long.</summary>
    public static Task EarnAsync(TestApp app, string path) => EventuallyAsync(async () =>
    {
        await AskAsync(app, path, 300);
        return Snapshot(app, $"GET {path.Split('?')[0]}").HasGuests;
    });

    /// <summary>
    /// Asks until a request blocks where the server put it and the runtime's pool has been lent a thread for it. A busy machine may take the class in just
    /// before: such a request is to end at once.
    /// </summary>
    /// <param name="earn">Asks until the class has guests.</param>
    /// <param name="block">Says whether guests are to block from now on.</param>
    /// <param name="ask">Asks once.</param>
    /// <param name="minimum">The minimum of the runtime's pool without it.</param>
    /// <returns>The request that blocks.</returns>
    public static async Task<Task<string>> BlockGuestAsync(Func<Task> earn, Action<bool> block, Func<Task<string>> ask, int minimum)
    {
        while (true)
        {
            await earn();
            block(true);
            Task<string> held = ask();
            await EventuallyAsync(() => held.IsCompleted || Minimum() > minimum);
            if (!held.IsCompleted)
            {
                return held;
            }

            block(false);
        }
    }

    public static Task EventuallyAsync(Func<bool> condition) => EventuallyAsync(() => Task.FromResult(condition()));

    public static async Task EventuallyAsync(Func<Task<bool>> condition)
    {
        using var patience = new CancellationTokenSource(TestApp.Patience);
        while (!await condition())
        {
            await Task.Delay(5, patience.Token);
        }
    }
}
