using AdaptivePool.Internal;

namespace AdaptivePool.Classes;

/// <summary>How many items of a class may run at once, and how many do. A slot is the right to run one item at a time; a worker keeps it over many items.</summary>
internal sealed class ClassLimit(int limit)
{
    private PaddedInt _active;
    private PaddedInt _limit = new() { Value = limit };

    public int Active => Volatile.Read(ref _active.Value);

    public int Value => Volatile.Read(ref _limit.Value);

    public bool HasRoom => Active < Value;

    /// <summary>Whether a worker that holds a slot must give it up after its item.</summary>
    public bool IsOver => Active > Value;

    public bool TryAcquire()
    {
        int active = Active;
        while (active < Value)
        {
            // Pairs with Release and with other acquirers; without it two workers could take the last slot.
            int before = Interlocked.CompareExchange(ref _active.Value, active + 1, active);
            if (before == active)
            {
                return true;
            }

            active = before;
        }

        return false;
    }

    /// <summary>Takes a slot back after a wait, even past the limit: the item goes on, and the worker takes no new one while <see cref="IsOver"/> (rule R5).</summary>
    public void Reacquire() => Interlocked.Increment(ref _active.Value);

    // A full fence: whoever releases looks at the queue afterwards; pairs with the fence between enqueue and the look at HasRoom. Without it both could look too early and an item would stay.
    public void Release() => Interlocked.Decrement(ref _active.Value);

    public void Set(int limit) => Volatile.Write(ref _limit.Value, limit);
}
