using System.Globalization;
using AdaptivePool.Guests;
using AdaptivePool.Runtime;

namespace AdaptivePool.Tests.Guests;

/// <summary>Guests in a process of their own: in that of the tests somebody else has set <see cref="AdaptiveThreadPool.CurrentBlockingAction"/>.</summary>
internal static class ChildGuests
{
    /// <summary>Guests that are counted.</summary>
    public const int Counted = 8_000;

    /// <summary>Threads that are held up at once. By itself the runtime's pool would need minutes for as many.</summary>
    private const int Held = 300;

    private static readonly Func<Func<Task>, Task> s_run = static function => function();
    private static bool s_isTold;

    public static int Run(string what)
    {
        using var pool = new AdaptiveThreadPool();
        pool.RuntimePoolStarved += static (_, message) =>
        {
            Console.WriteLine(message);
            Volatile.Write(ref s_isTold, true);
        };
        WorkClass workClass = pool.GetClass("guests");
        Earn(workClass);
        Eventually.Be(() => CountLooks(workClass) < Counted / 2, "not all are looked at after a while");
        switch (what)
        {
            case "few":
                break;
            case "wait":
                using (var set = new ManualResetEvent(true))
                {
                    // The runtime tells of this wait, too. One in eight is seen.
                    OnServer(() => Repeat(workClass, 100, () => set.WaitOne()));
                }

                Print(CountLooks(workClass, GuestLooks.Requests / 2));
                break;
            case "void":
                OnServer(() => Repeat(workClass, 100, static () => Forget()));
                _ = CountLooks(workClass);
                Print(CountLooks(workClass));
                break;
            case "action":
                AdaptiveThreadPool.CurrentBlockingAction = BlockingAction.Ignore;
                _ = CountLooks(workClass);
                Print(CountLooks(workClass));
                break;
            case "held":
                HoldUp(workClass, TimeSpan.Zero);
                break;
            case "held late":
                HoldUp(workClass, TimeSpan.FromSeconds(2));
                break;
            case "nested":
                Print(CountLooksInside(pool.GetClass("outer"), workClass));
                break;
            default:
                return 2;
        }

        Console.WriteLine("done");
        return 0;
    }

    // Each goes on after its await only where nobody sees it, and holds its thread until all do.
    private static void HoldUp(WorkClass workClass, TimeSpan quiet)
    {
        ThreadPool.GetMinThreads(out int before, out _);
        var ready = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var all = new CountdownEvent(Held);
        List<Task> guests = [];
        OnServer(() =>
        {
            while (guests.Count < Held)
            {
                workClass.TryRunAsGuest(s_run, () => SynchronizationContext.Current is null ? HoldAsync() : Task.CompletedTask, out Task? guest).ShouldBeTrue();
                if (!guest.IsCompleted)
                {
                    guests.Add(guest);
                }
            }
        });

        // No guest begins meanwhile.
        Thread.Sleep(quiet);
        ready.SetResult();
        Eventually.End(Task.WhenAll(guests));
        workClass.GetSnapshot().HasGuests.ShouldBeTrue("nobody knows whose they were");
        Eventually.Be(() => Volatile.Read(ref s_isTold), "it is told");
        Print(CountLooks(workClass, GuestLooks.Requests / 2));
        Eventually.Be(() => RuntimeMinimum.Process.Raised == 0, "nothing is lent when the queue moves");
        ThreadPool.GetMinThreads(out int after, out _);
        after.ShouldBe(before);

        async Task HoldAsync()
        {
            await ready.Task;
            all.Signal();
            all.Wait();
        }
    }

    // Each has a context of its own: under that of the outer one its awaits would be those of the other class.
    private static int CountLooksInside(WorkClass outer, WorkClass inner)
    {
        // Few in each: an outer one that computes for longer than guests may would cost its class the trust.
        const int Inside = 100;
        Earn(outer);
        int looks = 0;
        for (int i = 0; i < Counted / Inside; i++)
        {
            OnServer(() => outer.TryRunAsGuest(
                s_run,
                () =>
                {
                    SynchronizationContext? mine = SynchronizationContext.Current;
                    mine.ShouldNotBeNull("its class is new");
                    Repeat(inner, Inside, () => looks += SynchronizationContext.Current is { } current && current != mine ? 1 : 0);
                    return Task.CompletedTask;
                },
                out _).ShouldBeTrue());
        }

        return looks;
    }

    private static int CountLooks(WorkClass workClass, int guests = Counted)
    {
        int looks = 0;
        OnServer(() => Repeat(workClass, guests, () => looks += SynchronizationContext.Current is null ? 0 : 1));
        return looks;
    }

    private static void Repeat(WorkClass workClass, int guests, Action action)
    {
        for (int i = 0; i < guests; i++)
        {
            workClass.TryRunAsGuest(s_run, () => { action(); return Task.CompletedTask; }, out _).ShouldBeTrue();
        }
    }

    private static async void Forget() => await Task.Yield();

    private static void Earn(WorkClass workClass)
    {
        bool isGuest = false;
        Eventually.Be(
            () =>
            {
                Task.WaitAll([.. Enumerable.Range(0, 512).Select(_ => workClass.Run(static () => { }))]);
                OnServer(() => isGuest = workClass.TryRunAsGuest(s_run, static () => Task.CompletedTask, out _));
                return isGuest;
            },
            "short items that do not wait earn trust");
    }

    private static void OnServer(Action action) => Eventually.End(Task.Run(action));

    private static void Print(int looks) => Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{looks}"));
}
