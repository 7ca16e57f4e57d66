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
    ];

    private static ModelProgram ComesBack(IdleStack<ModelSync> stack)
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
        IdleStack<ModelSync> stack = Stack(pushed: 1, out Sleeper<ModelSync>[] workers);
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

    // Other versions than those of a new stack: one that counted only half of them would come back to the same.
    private static IdleStack<ModelSync> Used()
    {
        IdleStack<ModelSync> stack = Stack(pushed: 5, out Sleeper<ModelSync>[] workers);
        for (int i = 0; i < 3; i++)
        {
            stack.TryPop();
        }

        stack.Push(workers[2]);
        return stack;
    }

    private static void Pop(IdleStack<ModelSync> stack, Ledger ledger, int thread) => ledger.Take(thread, stack.TryPop() is { } worker ? $"{worker.Id}" : null);

    private static IdleStack<ModelSync> Stack(int pushed, out Sleeper<ModelSync>[] workers)
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

    private static void Require(IdleStack<ModelSync> stack, Ledger ledger)
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
