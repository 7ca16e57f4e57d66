using System.Diagnostics;
using System.Globalization;

namespace AdaptivePool.Tests.Faults;

/// <summary>A child process whose heap is full again and again: items fail to allocate, catch that, and give all memory back after a while.</summary>
internal static class ChildHeap
{
    private const int Kept = 4_000;
    private const int MostWaiting = 2_000;
    private const int FailuresUntilAllIsFree = 16;
    private static readonly TimeSpan s_length = TimeSpan.FromSeconds(5);

    private static readonly byte[]?[] s_kept = new byte[]?[Kept];
    private static int s_next;
    private static int s_failures;
    private static int s_accepted;
    private static int s_ran;

    public static int Run()
    {
        using var pool = new AdaptiveThreadPool();
        List<Task> tasks = new(1 << 18);
        Action action = Fill;
        Func<Task> function = FillAndGoOn;
        var item = new CallbackItem(Fill);
        var watch = Stopwatch.StartNew();
        for (int turn = 0; watch.Elapsed < s_length; turn++)
        {
            try
            {
                switch (turn % 3)
                {
                    case 0:
                        pool.UnsafeQueueUserWorkItem(item, preferLocal: false);
                        break;
                    case 1:
                        tasks.Add(pool.Run(action));
                        break;
                    default:
                        tasks.Add(pool.Run(function));
                        break;
                }

                s_accepted++;
            }
            catch (Exception exception) when (exception is OutOfMemoryException or TaskSchedulerException)
            {
                // Refused: its caller knows.
            }

            while (s_accepted - Volatile.Read(ref s_ran) > MostWaiting && watch.Elapsed < s_length)
            {
                Thread.Sleep(1);
            }
        }

        Array.Clear(s_kept);
        SpinWait.SpinUntil(() => Volatile.Read(ref s_ran) >= s_accepted && tasks.TrueForAll(static it => it.IsCompleted), TimeSpan.FromSeconds(20));

        // More may have run than were accepted: of one whose caller was told that there is no memory after it was queued.
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"lost {Math.Max(0, s_accepted - Volatile.Read(ref s_ran))} pending {tasks.Count(static it => !it.IsCompleted)} full {s_failures > 0}"));
        Environment.Exit(0);
        return 0;
    }

    private static void Fill()
    {
        try
        {
            s_kept[Interlocked.Increment(ref s_next) % Kept] = new byte[80_000];
        }
        catch (OutOfMemoryException)
        {
            if (Interlocked.Increment(ref s_failures) % FailuresUntilAllIsFree == 0)
            {
                Array.Clear(s_kept);
            }
        }

        Interlocked.Increment(ref s_ran);
    }

    private static async Task FillAndGoOn()
    {
        Fill();
        await Task.Yield();
    }
}
