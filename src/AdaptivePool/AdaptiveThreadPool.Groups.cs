using AdaptivePool.Dispatch;
using AdaptivePool.Groups;

namespace AdaptivePool;

/// <remarks>Groups of threads.</remarks>
public sealed partial class AdaptiveThreadPool
{
    private readonly Lock _grouping = new();
    private readonly CpuTopology _topology;

    /// <summary>The value of the option before <see cref="SizeByGroups"/>: the elastic part has groups of its own.</summary>
    private int? _oversubscribe;

    /// <summary>
    /// The number of groups that the threads are divided into, from 1 to twice the number of processors. The initial value is
    /// <see cref="AdaptivePoolOptions.ThreadGroups"/>. Work with a route (<see cref="WorkClass.RunRouted(long, Func{Task}, CancellationToken)"/>) runs on a
    /// thread of its route's group while that group has a free thread, and on another thread otherwise. The value may be changed at any time. Work that waits
    /// then loses only its place near its data.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of its range.</exception>
    public int ThreadGroups
    {
        get => Set.Idle.Groups;
        set
        {
            new AdaptivePoolOptions { ThreadGroups = value }.ThrowIfInvalid();
            lock (_grouping)
            {
                Set.Idle.SetGroups(value);
            }
        }
    }

    private int FirstGroups => _options.ThreadGroups ?? Math.Min(_topology.Groups, AdaptivePoolOptionsValidator.MostGroups);

    /// <summary>Makes the number of groups decide the size of each class, if the options ask for that. Called before the first controller is
    /// created.</summary>
    private void SizeByGroups()
    {
        if (_options.Oversubscribe is { } oversubscribe)
        {
            _options.InitialThreads ??= GroupSizeController.Size(FirstGroups, oversubscribe, _options.MaxThreads);
            _options.Sizing = PoolSizing.OfGroups(
                nameof(_options.Oversubscribe), () => GroupSizeController.Size(Set.Idle.Groups, oversubscribe, Set.MaxThreads));

            // The option is no longer needed. It must be cleared, because changed bounds are checked with these options and this sizing.
            _oversubscribe = oversubscribe;
            _options.Oversubscribe = null;
        }
    }

    /// <summary>Divides the future threads into groups. Called before the first item.</summary>
    private void Group()
    {
        if (_topology.Problem is { } problem)
        {
            Warnings.Keep(problem);
        }

        int groups = FirstGroups;
        if (groups > 1)
        {
            Set.Idle.SetGroups(groups);
        }

        if (!_options.NodeAffinity)
        {
            return;
        }

        if (!ThreadPin.IsSupported)
        {
            Warnings.Keep("Threads cannot be bound to processors on this system: NodeAffinity has no effect");
            return;
        }

        Set.OnGroup = group => ThreadPin.Pin(_topology.NodeOf(group).Processors);
    }

    private ThreadGroupSnapshot[] DescribeGroups(WorkerSnapshot[] workers)
    {
        int groups = Set.Idle.Groups;
        ILookup<int, WorkerSnapshot> byGroup = workers.ToLookup(worker => IdleWorkers<RealSync>.GroupOf(worker.Id, groups));
        return
        [
            .. from number in Enumerable.Range(0, groups)
            let own = byGroup[number]
            let queued = Set.QueuedAt(number)
            select new ThreadGroupSnapshot
            {
                Number = number,
                Node = Set.OnGroup is not null ? _topology.NodeOf(number).Number : null,
                Threads = own.Count(),
                Active = own.Count(static worker => worker.State != WorkerState.Idle),
                IsStalled = queued > 0 && own.Any() && own.All(static worker => worker.State is WorkerState.BlockedManaged or WorkerState.BlockedKernel),
                Queued = queued,
            },
        ];
    }
}
