using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Stress.Queues;

namespace AdaptivePool.Stress.Rounds;

/// <summary>The own queues of a worker without the pool around them: an owner and thieves, with yields between their accesses to memory.</summary>
internal sealed class QueueRound : Round
{
    private const int Thieves = 3;
    private const int MostPerRound = 20_000;

    public override void Run(Tally tally, int seed, long most)
    {
        int items = (int)Math.Min(most, MostPerRound);
        var queue = new WorkStealingQueue<YieldingSync>(2 << (seed & 1));
        Run(tally, seed, items, queue.Push, (seed & 2) == 0 ? queue.TryPop : queue.TryPopOldest, queue.TrySteal);
    }

    private static void Run(Tally tally, int seed, int items, Action<object> push, Func<object?> pop, Func<object?> steal)
    {
        int[] taken = new int[items];
        bool isOver = false;
        void Take(object? item)
        {
            if (item is int number && Interlocked.Increment(ref taken[number]) != 1)
            {
                tally.Violate($"item {number} was taken twice");
            }
        }

        Thread[] thieves = Start(Thieves, thief =>
        {
            YieldingSync.Seed(seed, thief);
            while (!Volatile.Read(ref isOver))
            {
                Take(steal());
            }
        });
        Thread[] owner = Start(1, _ =>
        {
            YieldingSync.Seed(seed, Thieves);
            var dice = new Dice(seed, -1);
            for (int i = 0; i < items; i++)
            {
                push(i);
                for (int pops = dice.Below(3); pops > 0; pops--)
                {
                    Take(pop());
                }
            }
        });
        Join(owner);
        Volatile.Write(ref isOver, true);
        Join(thieves);
        while (pop() is { } left)
        {
            Take(left);
        }

        tally.Submit(items);
        tally.Complete(taken.Count(static t => t > 0));
    }
}
