namespace AdaptivePool.Dispatch;

/// <summary>
/// Parked workers by the group that they belong to. A group is a number modulo the number of groups: the number of a worker, or the route of routed work. So
/// workers spread evenly, nothing is kept for each, and a new number of groups moves no worker: a parked worker stays in its stack and is found there.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="workers">The workers by number.</param>
internal sealed class IdleWorkers<TSync>(WakeProtocol<TSync> workers)
    where TSync : struct, ISync
{
    /// <summary>No group comes first.</summary>
    public const int AnyGroup = -1;

    private Table _table = new([new IdleStack<TSync>(workers)], Groups: 1);
    private int _turn;

    /// <summary>Groups that there are.</summary>
    public int Groups => Groupings.Groups;

    /// <summary>Workers here; a hint.</summary>
    public int Count
    {
        get
        {
            int count = 0;
            foreach (IdleStack<TSync> stack in Groupings.Stacks)
            {
                count += stack.Count;
            }

            return count;
        }
    }

    /// <summary>Whether no worker is here. For each group exact at the moment of the read.</summary>
    public bool IsEmpty
    {
        get
        {
            foreach (IdleStack<TSync> stack in Groupings.Stacks)
            {
                if (!stack.IsEmpty)
                {
                    return false;
                }
            }

            return true;
        }
    }

    // Relaxed: what is read through a reference comes after the reference. A worker that parks in a group that other threads do not see yet has seen the table
    // before its fence; a thread that enqueues after that fence, and fences, sees the table too.
    private Table Groupings
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _table);
    }

    /// <summary>The group of a worker, by its number, or of work, by its route.</summary>
    [BypassReadyToRun]
    public int GroupOf(long number) => GroupOf(number, Groups);

    /// <summary>The same for a given number of groups.</summary>
    [BypassReadyToRun]
    public static int GroupOf(long number, int groups) => groups == 1 ? 0 : (int)(unchecked((ulong)number) % (ulong)groups);

    /// <summary>Sets the number of groups. Calls must not overlap.</summary>
    public void SetGroups(int groups)
    {
        IdleStack<TSync>[] stacks = Groupings.Stacks;
        IEnumerable<IdleStack<TSync>> added = Enumerable.Range(stacks.Length, Math.Max(0, groups - stacks.Length)).Select(_ => new IdleStack<TSync>(workers));
        TSync.RelaxedWrite(ref _table, new Table([.. stacks, .. added], groups));
    }

    public void Push(Sleeper<TSync> worker)
    {
        Table table = Groupings;
        table.Stacks[GroupOf(worker.Id, table.Groups)].Push(worker);
    }

    /// <summary>Takes a worker, from another group where the given one has none.</summary>
    /// <param name="group">The group that is looked at first; <see cref="AnyGroup"/>: each in turn.</param>
    public Sleeper<TSync>? TryPop(int group = AnyGroup)
    {
        IdleStack<TSync>[] stacks = Groupings.Stacks;
        uint first = (uint)group;
        if (group == AnyGroup && stacks.Length > 1)
        {
            // Not atomic: it does not matter whether two callers begin with the same group.
            int turn = TSync.RelaxedRead(ref _turn);
            TSync.RelaxedWrite(ref _turn, turn + 1);
            first = unchecked((uint)turn);
        }

        for (uint i = 0; i < stacks.Length; i++)
        {
            if (stacks[(first + i) % (uint)stacks.Length].TryPop() is { } worker)
            {
                return worker;
            }
        }

        return null;
    }

    /// <param name="Stacks">One for each group that exists or has existed.</param>
    /// <param name="Groups">Groups that there are.</param>
    private sealed record Table(IdleStack<TSync>[] Stacks, int Groups);
}
