using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>What is trusted as a whole: queues of the runtime, futexes, monitors. Each operation is one step.</summary>
internal readonly unsafe partial struct ModelSync
{
    public static void Enqueue(ConcurrentQueue<object> queue, object item, string member, int line)
    {
        if (Caller is { } caller)
        {
            Location location = Visit(caller, queue, queue.Count, OperationKind.Enqueue, member, line);
            Change(caller, location, location.Last.Number + 1, item);
        }

        queue.Enqueue(item);
    }

    public static bool TryDequeue(ConcurrentQueue<object> queue, [MaybeNullWhen(false)] out object item, string member, int line)
    {
        if (Caller is { } caller)
        {
            Location location = Visit(caller, queue, queue.Count, OperationKind.Dequeue, member, line);

            // A queue that was empty in an earlier view may be reported empty; an item is taken only from the newest state.
            if (caller.Run.Load(caller, location, isAcquire: true).Number == 0 || location.Last.Number == 0)
            {
                item = null;
                return false;
            }

            queue.TryPeek(out object? taken);
            Change(caller, location, location.Last.Number - 1, taken);
        }

        return queue.TryDequeue(out item);
    }

    public static int Count(ConcurrentQueue<object> queue, string member, int line)
    {
        if (Caller is not { } caller)
        {
            return queue.Count;
        }

        Location location = Visit(caller, queue, queue.Count, OperationKind.Look, member, line);
        return (int)caller.Run.Load(caller, location, isAcquire: false).Number;
    }

    public static bool IsEmpty(ConcurrentQueue<object> queue, string member, int line) => Count(queue, member, line) == 0;

    public static void FutexWait(int* word, int expected, string member, int line)
    {
        if (Caller is { } caller)
        {
            caller.Run.Step(caller, new Site(member, line, OperationKind.FutexWait));
            Location location = caller.Run.At((nint)word, *word, null);
            if (caller.Run.LoadNewest(caller, location, isAcquire: false).Number == expected)
            {
                caller.Run.Sleep(caller, location);
            }
        }
    }

    public static void FutexWake(int* word, string member, int line)
    {
        if (Caller is { } caller)
        {
            var site = new Site(member, line, OperationKind.FutexWake);
            caller.Run.Step(caller, site);
            if (caller.Run.WeakeningOf(site) is null)
            {
                caller.Run.WakeOne(caller.Run.At((nint)word, *word, null), ThreadStatus.Ready);
            }
        }
    }

    public static void Enter(object monitor, string member, int line)
    {
        if (Caller is { } caller)
        {
            EnterFree(caller, Visit(caller, monitor, 0, OperationKind.Enter, member, line));
        }
    }

    public static bool TryEnter(object monitor, string member, int line)
    {
        if (Caller is { } caller)
        {
            Location location = Visit(caller, monitor, 0, OperationKind.Enter, member, line);
            if (location.Owner is not null)
            {
                return false;
            }

            EnterFree(caller, location);
        }

        return true;
    }

    public static void Exit(object monitor, string member, int line)
    {
        if (Caller is { } caller)
        {
            Leave(caller, Visit(caller, monitor, 0, OperationKind.Exit, member, line));
        }
    }

    /// <summary>For programs only, and so is the pulse: nothing of the pool waits at a lock.</summary>
    public static void Wait(object monitor, string member, int line)
    {
        if (Caller is { } caller)
        {
            Location location = Visit(caller, monitor, 0, OperationKind.Wait, member, line);
            Leave(caller, location);
            if (!caller.TakeInterrupt())
            {
                caller.MayBeInterrupted = true;
                caller.Run.Sleep(caller, location);
                caller.MayBeInterrupted = false;
                caller.TakeInterrupt();
            }

            EnterFree(caller, location);
        }
    }

    public static void Pulse(object monitor, string member, int line)
    {
        if (Caller is { } caller)
        {
            var site = new Site(member, line, OperationKind.Pulse);
            Location location = Visit(caller, monitor, 0, OperationKind.Pulse, member, line);
            if (caller.Run.WeakeningOf(site) is null)
            {
                caller.Run.WakeOne(location, ThreadStatus.Entering);
            }
        }
    }

    public static void Set(AutoResetEvent called, string member, int line)
    {
        if (Caller is { } caller)
        {
            var site = new Site(member, line, OperationKind.Set);
            Location location = Visit(caller, called, 0, OperationKind.Set, member, line);
            if (caller.Run.WeakeningOf(site) is null)
            {
                Change(caller, location, 1, null);
                caller.Run.WakeOne(location, ThreadStatus.Ready);
            }
        }
    }

    /// <summary>A time that is over at once, or never: what lies between differs in nothing that a thread can see.</summary>
    public static void WaitOne(AutoResetEvent called, TimeSpan most, string member, int line)
    {
        if (Caller is { } caller)
        {
            Location location = Visit(caller, called, 0, OperationKind.WaitOne, member, line);
            while (most == Timeout.InfiniteTimeSpan && location.Last.Number == 0 && !caller.TakeInterrupt())
            {
                caller.MayBeInterrupted = true;
                caller.Run.Await(caller, location);
                caller.MayBeInterrupted = false;
                if (caller.IsUnwinding)
                {
                    // Dismissed: what it waits for does not come, and no wait does any more.
                    return;
                }
            }

            Change(caller, location, 0, null);
        }
    }

    public static void ForgetInterrupt(string member, int line)
    {
        if (Caller is { } caller)
        {
            var site = new Site(member, line, OperationKind.ForgetInterrupt);
            caller.Run.Step(caller, site);
            if (caller.Run.WeakeningOf(site) is null)
            {
                caller.TakeInterrupt();
            }
        }
    }

    /// <summary>No choice point of its own: the operations around it are. Counted.</summary>
    public static void Yield()
    {
        if (VirtualThread.Current is { } caller)
        {
            caller.Yields++;
        }
    }

    public static WakeDebt OwnDebt() => VirtualThread.Current?.Debt ?? WakeDebt.Own;

    public static WakeDebt[] AllDebts() => VirtualThread.Current?.Run.Debts ?? WakeDebt.All();

    /// <summary>A run has one pool. The number is the same in each run: the checker compares their states.</summary>
    public static int NewCreditor() => 1;

    /// <summary>The clock of the virtual thread, which stands still unless the program moves it: see <see cref="VirtualThread.Now"/>.</summary>
    public static long Timestamp() => VirtualThread.Current?.Now ?? Stopwatch.GetTimestamp();

    /// <summary>The same clock.</summary>
    public static long CoarseMilliseconds() => (long)Stopwatch.GetElapsedTime(0, Timestamp()).TotalMilliseconds;

    /// <summary>The same clock: a virtual thread uses the CPU all the time.</summary>
    public static long ThreadCpu() => Timestamp();

    /// <summary>Starts a virtual thread.</summary>
    public static void Start(Action body, string name, int stackSize)
    {
        if (Caller is { } caller)
        {
            caller.Run.Start(caller, body);
        }
    }

    private static Location Visit(VirtualThread caller, object trusted, long number, OperationKind kind, string member, int line)
    {
        caller.Run.Step(caller, new Site(member, line, kind));
        return caller.Run.Of(trusted, number);
    }

    // Acquires and releases, but is no fence: more is not promised.
    private static void Change(VirtualThread caller, Location location, long number, object? reference)
        => caller.Run.Change(caller, location, number, reference);

    private static void EnterFree(VirtualThread caller, Location location)
    {
        while (location.Owner is not null)
        {
            caller.Status = ThreadStatus.Entering;
            caller.BlockedOn = location;
            caller.Run.Block(caller);
        }

        caller.Status = ThreadStatus.Ready;
        location.Owner = caller;
        caller.Run.LoadNewest(caller, location, isAcquire: true);
    }

    private static void Leave(VirtualThread caller, Location location)
    {
        Change(caller, location, location.Last.Number, null);
        location.Owner = null;
    }
}
