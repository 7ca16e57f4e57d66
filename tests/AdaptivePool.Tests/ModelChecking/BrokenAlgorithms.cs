using System.Collections.Concurrent;
using AdaptivePool.Dispatch;
using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>Known mistakes, each beside its right form: the checker must find the one and let the other pass.</summary>
internal static class BrokenAlgorithms
{
    /// <summary>Dekker's mutual exclusion, one attempt each. Broken: no fence between the own flag and the look at the other's.</summary>
    public static ModelProgram Dekker(bool isRight)
    {
        Cell first = new(), second = new(), inside = new();
        int most = 0;
        void Attempt(Cell own, Cell other)
        {
            ModelSync.VolatileWrite(ref own.Value, 1, string.Empty, 1);
            if (isRight)
            {
                ModelSync.Fence(string.Empty, 2);
            }

            if (ModelSync.VolatileRead(ref other.Value, string.Empty, 3) == 0)
            {
                most = Math.Max(most, ModelSync.Increment(ref inside.Value, string.Empty, 4));
            }
        }

        return new ModelProgram(
            [() => Attempt(first, second), () => Attempt(second, first)],
            () => ModelFailureException.Require(most <= 1, "both are inside"));
    }

    /// <summary>A sleeper and a waker. Broken: the sleeper looks for work before it says that it sleeps.</summary>
    public static ModelProgram LostWake(bool isRight)
    {
        Cell work = new();
        var parking = new WordParking<ModelSync>();
        Cell idle = new();
        return new ModelProgram(
            [
                () =>
                {
                    if (isRight)
                    {
                        ModelSync.Exchange(ref idle.Value, 1, string.Empty, 1);
                    }

                    if (ModelSync.VolatileRead(ref work.Value, string.Empty, 2) == 0)
                    {
                        if (!isRight)
                        {
                            ModelSync.Exchange(ref idle.Value, 1, string.Empty, 3);
                        }

                        parking.Park();
                    }
                },
                () =>
                {
                    ModelSync.Exchange(ref work.Value, 1, string.Empty, 4);
                    if (ModelSync.VolatileRead(ref idle.Value, string.Empty, 5) == 1)
                    {
                        parking.Unpark();
                    }
                },
            ],
            static () => { });
    }

    /// <summary>A stack of three nodes; one thread pops, the other pops two and pushes the first again. Broken: the head has no version.</summary>
    public static ModelProgram StackWithoutVersion(bool isRight)
    {
        // The node number n is followed by next[n]; 0 is the end. The version is in the upper half of the head.
        Cell[] next = [new(), new(2), new(3), new()];
        long[] head = [1];
        List<int> popped = [];
        int Pop()
        {
            while (true)
            {
                long before = ModelSync.VolatileRead(ref head[0], string.Empty, 1);
                int top = (int)before;
                if (top == 0)
                {
                    return 0;
                }

                long after = (isRight ? ((before >> 32) + 1) << 32 : 0) | (uint)ModelSync.Read(ref next[top].Value, string.Empty, 2);
                if (ModelSync.CompareExchange(ref head[0], after, before, string.Empty, 3) == before)
                {
                    return top;
                }
            }
        }

        void Push(int node)
        {
            while (true)
            {
                long before = ModelSync.VolatileRead(ref head[0], string.Empty, 4);
                ModelSync.Write(ref next[node].Value, (int)before, string.Empty, 5);
                long after = (isRight ? ((before >> 32) + 1) << 32 : 0) | (uint)node;
                if (ModelSync.CompareExchange(ref head[0], after, before, string.Empty, 6) == before)
                {
                    return;
                }
            }
        }

        int byFirst = 0, bySecond = 0;
        return new ModelProgram(
            [
                () => byFirst = Pop(),
                () =>
                {
                    int a = Pop();
                    bySecond = Pop();
                    if (a != 0)
                    {
                        Push(a);
                    }
                },
            ],
            () =>
            {
                popped.Clear();
                popped.AddRange([byFirst, bySecond]);
                for (int node = Pop(); node != 0 && popped.Count < 9; node = Pop())
                {
                    popped.Add(node);
                }

                ModelFailureException.Require(popped.Order().SequenceEqual([1, 2, 3]), "a node is lost or twice there");
            });
    }

    /// <summary>
    /// A notification that says one waiter may go on, with two items and two waiters (after the pattern of a sharded queue whose second notification met the
    /// first). Broken: the notifier sets a flag instead of counting, so two notifications become one.
    /// </summary>
    public static ModelProgram LostNotification(bool isRight)
    {
        Cell items = new(), notified = new();
        object gate = new();
        void Work()
        {
            ModelSync.Enter(gate, string.Empty, 1);
            while (ModelSync.Read(ref notified.Value, string.Empty, 2) == 0)
            {
                ModelSync.Wait(gate, string.Empty, 3);
            }

            int before = ModelSync.Read(ref notified.Value, string.Empty, 4);
            ModelSync.Write(ref notified.Value, isRight ? before - 1 : 0, string.Empty, 5);
            ModelSync.Exit(gate, string.Empty, 6);
            ModelSync.Decrement(ref items.Value, string.Empty, 7);
        }

        return new ModelProgram(
            [
                Work,
                Work,
                () =>
                {
                    for (int i = 0; i < 2; i++)
                    {
                        ModelSync.Increment(ref items.Value, string.Empty, 8);
                        ModelSync.Enter(gate, string.Empty, 9);
                        int before = ModelSync.Read(ref notified.Value, string.Empty, 10);
                        ModelSync.Write(ref notified.Value, isRight ? before + 1 : 1, string.Empty, 11);
                        ModelSync.Pulse(gate, string.Empty, 12);
                        ModelSync.Exit(gate, string.Empty, 13);
                    }
                },
            ],
            () => ModelFailureException.Require(items.Value == 0, "an item stayed"));
    }

    /// <summary>A sleeper at a monitor that somebody interrupts. Broken: it takes the end of its wait for the permit.</summary>
    public static ModelProgram InterruptedSleep(bool isRight)
    {
        Cell permit = new();
        object gate = new();
        int seen = 0;
        return new ModelProgram(
            [
                () =>
                {
                    ModelSync.Enter(gate, string.Empty, 1);
                    bool mayLook = true;
                    while (mayLook && ModelSync.Read(ref permit.Value, string.Empty, 2) == 0)
                    {
                        ModelSync.Wait(gate, string.Empty, 3);
                        mayLook = isRight;
                    }

                    seen = ModelSync.Read(ref permit.Value, string.Empty, 4);
                    ModelSync.Exit(gate, string.Empty, 5);
                },
                () =>
                {
                    ModelSync.Enter(gate, string.Empty, 6);
                    ModelSync.Write(ref permit.Value, 1, string.Empty, 7);
                    ModelSync.Pulse(gate, string.Empty, 8);
                    ModelSync.Exit(gate, string.Empty, 9);
                },
                static () => VirtualThread.Interrupt(0),
            ],
            () => ModelFailureException.Require(seen == 1, "the sleep ended without the permit"));
    }

    /// <summary>A worker with a queue of its own and a shared one. Broken: it looks at the shared one only when its own is empty.</summary>
    public static ModelProgram Starvation(bool isRight)
    {
        ConcurrentQueue<object> own = new(), shared = new();
        var race = new TurnRace(mostTurns: 64, item => ModelSync.Enqueue(shared, item, string.Empty, 1));
        own.Enqueue(race.Producer(again => ModelSync.Enqueue(own, again, string.Empty, 2)));
        return new ModelProgram(
            [
                () =>
                {
                    for (int turn = 1; !race.HasEnded; turn++)
                    {
                        (ConcurrentQueue<object> first, ConcurrentQueue<object> second) = isRight && turn % 16 == 0 ? (shared, own) : (own, shared);
                        if (ModelSync.TryDequeue(first, out object? item, string.Empty, 3) || ModelSync.TryDequeue(second, out item, string.Empty, 4))
                        {
                            ((CallbackItem)item).Execute();
                        }
                    }
                },
            ],
            static () => { });
    }

    /// <summary>A thread that goes on until another has written, and says so.</summary>
    public static ModelProgram PassedOver()
    {
        Cell written = new();
        return new ModelProgram(
            [
                () =>
                {
                    while (ModelSync.RelaxedRead(ref written.Value, string.Empty, 1) == 0)
                    {
                        VirtualThread.MakeWay();
                    }
                },
                () => ModelSync.RelaxedWrite(ref written.Value, 1, string.Empty, 2),
            ],
            static () => { });
    }
}
