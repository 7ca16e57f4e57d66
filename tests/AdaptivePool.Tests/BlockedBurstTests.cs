using System.Net;
using System.Net.Sockets;

namespace AdaptivePool.Tests;

/// <summary>Bursts of items that block: what waits behind them runs, and what they made the pool grow to goes away again (rules R3, R5).</summary>
public sealed class BlockedBurstTests : PoolTest
{
    [Fact]
    public void Blockers_OfAllKinds_ItemsBehindThemRun()
    {
        AdaptiveThreadPool pool = CreatePool();
        using var behind = new CountdownEvent(50);
        var gate = new object();
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        (Socket reader, Socket writer) = Connect();
        using (reader)
        using (writer)
        {
            Task[] blockers;
            lock (gate)
            {
                blockers = [.. Enumerable.Range(0, 40).Select(i => pool.Run(() => Block(i, behind, gate, release.Task, reader)))];
                for (int i = 0; i < 50; i++)
                {
                    pool.UnsafeQueueUserWorkItem(new CallbackItem(() => behind.Signal()), preferLocal: false);
                }

                Eventually.Zero(behind, "items behind forty blocked ones run before any of those ends");
            }

            release.SetResult();
            writer.Send(new byte[10]);
            Array.ForEach(blockers, t => Eventually.End(t));
        }
    }

    [Fact]
    public void Blockers_Return_ActiveIsBackAtTargetAndThreadsEnd()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 2, IdleTimeout = TimeSpan.FromMilliseconds(100) });
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task[] blockers = [.. Enumerable.Range(0, 40).Select(_ => pool.Run(() => release.Task.Wait()))];
        Eventually.Be(pool, static s => s.Active == 40, "all blockers hold a thread");

        pool.Resize(1, 2);
        Eventually.Be(pool, static s => s.Target <= 2 && s.Classes.All(static c => c.Limit <= 2), "the new bounds come into force");
        int running = 0;
        int most = 0;
        Task[] later = [.. Enumerable.Range(0, 100).Select(_ => pool.Run(() =>
        {
            int now = Interlocked.Increment(ref running);
            InterlockedMax(ref most, now);
            Thread.Sleep(1);
            Interlocked.Decrement(ref running);
        }))];
        release.SetResult();

        Array.ForEach(blockers, t => Eventually.End(t));
        Array.ForEach(later, t => Eventually.End(t));
        most.ShouldBeLessThanOrEqualTo(2, "a worker that comes back takes no new item while more are active than the target");
        Eventually.Be(pool, static s => s.Existing <= 2 && s.Active == 0, "threads that nobody needs end");
    }

    private static void Block(int index, CountdownEvent until, object gate, Task task, Socket reader)
    {
        switch (index % 4)
        {
            case 0:
                while (!until.IsSet)
                {
                    Thread.Sleep(10);
                }

                break;
            case 1:
                reader.Receive(stackalloc byte[1]);
                break;
            case 2:
                lock (gate)
                {
                    break;
                }

            default:
                task.Wait();
                break;
        }
    }

    private static void InterlockedMax(ref int most, int value)
    {
        int seen = Volatile.Read(ref most);
        while (value > seen)
        {
            seen = Interlocked.CompareExchange(ref most, value, seen) is var before && before == seen ? value : before;
        }
    }

    private static (Socket Reader, Socket Writer) Connect()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(1);
        var writer = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        writer.Connect(listener.LocalEndPoint!);
        return (listener.Accept(), writer);
    }
}
