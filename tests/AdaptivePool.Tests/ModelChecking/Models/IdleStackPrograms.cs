using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>Workers come and go on the idle stack; each is there once or with whoever popped it.</summary>
internal static class IdleStackPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("idle: the same worker comes back (ABA)", static () => ComesBack(Stack(pushed: 3, out _)), Bounds.Long),
        new("idle: the same worker comes back after others have come and gone", static () => ComesBack(Used()), Bounds.Longest),
        new("idle: pushes and pops", PushesAndPops, Bounds.Default),
        new("idle: groups come while workers are pushed and popped", Regrouped, Bounds.Default),
    ];

    private static ModelProgram ComesBack(IdleWorkers<ModelSync> stack)
    {
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () => Pop(stack, ledger, 0),
                () =>
                {
                    Sleeper<ModelSync>? first = stack.TryPop();
                    Pop(stack, ledger, 1);
                    if (first is not null)
                    {
                        stack.Push(first);
                    }
                },
                () => Pop(stack, ledger, 2),
            ],
            () => Require(stack, ledger));
    }

    private static ModelProgram PushesAndPops()
    {
        IdleWorkers<ModelSync> stack = Stack(pushed: 1, out Sleeper<ModelSync>[] workers);
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () => stack.Push(workers[1]),
                () => stack.Push(workers[2]),
                () =>
                {
                    Pop(stack, ledger, 2);
                    Pop(stack, ledger, 2);
                },
            ],
            () => Require(stack, ledger));
    }

    // Two groups while nobody else has seen them, then one: whoever was pushed where is found.
    private static ModelProgram Regrouped()
    {
        IdleWorkers<ModelSync> idle = Stack(pushed: 1, out Sleeper<ModelSync>[] workers);
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () =>
                {
                    idle.SetGroups(2);
                    idle.SetGroups(1);
                },
                () =>
                {
                    idle.Push(workers[1]);
                    idle.Push(workers[2]);
                },
                () => Pop(idle, ledger, 2),
            ],
            () => Require(idle, ledger));
    }

    // Other versions than those of a new stack: one that counted only half of them would come back to the same.
    private static IdleWorkers<ModelSync> Used()
    {
        IdleWorkers<ModelSync> stack = Stack(pushed: 5, out Sleeper<ModelSync>[] workers);
        for (int i = 0; i < 3; i++)
        {
            stack.TryPop();
        }

        stack.Push(workers[2]);
        return stack;
    }

    private static void Pop(IdleWorkers<ModelSync> stack, Ledger ledger, int thread) => ledger.Take(thread, stack.TryPop() is { } worker ? $"{worker.Id}" : null);

    private static IdleWorkers<ModelSync> Stack(int pushed, out Sleeper<ModelSync>[] workers)
    {
        int existing = Math.Max(3, pushed);
        WorkerSet<ModelSync> set = new ModelPool(existing, limit: 3, inFlightLimit: 3, threads: new ThreadsNeverRun()).Set;
        workers = [.. Enumerable.Range(0, existing).Select(i => set.TryGet(i)!)];
        for (int i = 0; i < pushed; i++)
        {
            set.Idle.Push(workers[i]);
        }

        return set.Idle;
    }

    private static void Require(IdleWorkers<ModelSync> stack, Ledger ledger)
    {
        int count = stack.Count;
        List<object> left = [];
        while (left.Count < 9 && stack.TryPop() is { } worker)
        {
            left.Add($"{worker.Id}");
        }

        ledger.RequireAll(["0", "1", "2"], left);
        ModelFailureException.Require(count == left.Count && stack.IsEmpty, "the count is wrong");
    }
}
