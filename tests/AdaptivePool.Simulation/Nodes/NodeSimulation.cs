using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;

namespace AdaptivePool.Simulation.Nodes;

/// <summary>
/// A pool on a machine with several NUMA nodes, on virtual time. What decides is what ships: which group a route and a worker belong to, where a worker looks
/// first and when it borrows, which sleeping worker is woken and how one wake follows another, which node a group is bound to. The machine and the load are
/// simulated.
/// </summary>
public sealed class NodeSimulation
{
    private const int Arrives = 0;
    private const int Wakes = 1;
    private const int Locks = 2;
    private const int Looks = 3;

    private readonly NodeMachine _machine;
    private readonly NodeLoad _load;
    private readonly Random _random;
    private readonly RoutedLanes<RealSync> _lanes = new();
    private readonly SimulatedWorkers _workers;
    private readonly PriorityQueue<(int Kind, int Id), (double At, long Number)> _events = new();
    private readonly int[] _processors;
    private readonly int[] _clients;
    private readonly double[] _processorFreeAt;
    private readonly (double FreeAt, int Last)[] _in;
    private readonly (double FreeAt, int Last)[] _out;
    private readonly (double FreeAt, int Last)[] _locks;
    private readonly int[] _lastProcessor;
    private readonly int[] _home;
    private readonly int _groups;
    private double _now;
    private long _number;
    private long _ended;

    private NodeSimulation(NodeMachine machine, NodeLoad load, int groups, bool isBound, int seed)
    {
        (_machine, _load, _groups, _random) = (machine, load, groups, new Random(seed));
        int count = machine.Processors;
        _processors = isBound ? Bound(count) : Anywhere(count);
        _clients = new int[count];
        _processorFreeAt = new double[count];
        _in = new (double, int)[groups];
        _out = new (double, int)[groups];
        _locks = new (double, int)[Math.Max(1, load.Locks)];
        _lastProcessor = new int[load.Clients];
        _home = new int[load.Clients];
        Array.Fill(_lastProcessor, -1);
        _workers = new SimulatedWorkers(count, () => _lanes.Count > 0, worker => Add(Wakes, worker, machine.WakeSeconds));
        _workers.Idle.SetGroups(groups);
        foreach (SimulatedWorker worker in _workers.All)
        {
            _workers.LieDown(worker);
        }

        for (int client = 0; client < load.Clients; client++)
        {
            Add(Arrives, client, load.ThinkSeconds * _random.NextDouble());
        }
    }

    /// <summary>Items completed in a second.</summary>
    /// <param name="machine">The machine.</param>
    /// <param name="load">The load.</param>
    /// <param name="groups">Groups of threads.</param>
    /// <param name="isBound">Whether threads are bound to the nodes of their groups; otherwise each stays where it began, anywhere.</param>
    /// <param name="items">Items that are counted, after a fourth as many that are not.</param>
    /// <param name="seed">Seed of what is random.</param>
    public static double PerSecond(NodeMachine machine, NodeLoad load, int groups, bool isBound, int items, int seed = 1)
    {
        ArgumentNullException.ThrowIfNull(machine);
        ArgumentNullException.ThrowIfNull(load);
        var simulation = new NodeSimulation(machine, load, groups, isBound, seed);
        simulation.Run(items / 4);
        double from = simulation._now;
        simulation.Run((items / 4) + items);
        return items / (simulation._now - from);
    }

    private void Run(long until)
    {
        while (_ended < until)
        {
            _events.TryDequeue(out (int Kind, int Id) next, out (double At, long Number) time);
            _now = time.At;
            switch (next.Kind)
            {
                case Arrives:
                    Queue(next.Id);
                    break;
                case Wakes:
                    _workers.All[next.Id].IsSearching = true;
                    Look(_workers.All[next.Id]);
                    break;
                case Locks:
                    TakeLock(next.Id);
                    break;
                default:
                    End(next.Id);
                    break;
            }
        }
    }

    // By whatever processor the network's interrupt has come to.
    private void Queue(int client)
    {
        int group = IdleWorkers<RealSync>.GroupOf(RouteOf(client), _groups);
        Pass(ref _in[group], _random.Next(_machine.Processors));
        _lanes.Enqueue(group, client);
        _workers.EnsureWorker(group);
    }

    private long RouteOf(int client) => _load.IsSkewed && client % 10 != 0 ? client * 4L : client;

    private void Look(SimulatedWorker worker)
    {
        int group = _workers.Idle.GroupOf(worker.Id);
        uint turn = _lanes.NextTurn(group) / 2;
        if (!_lanes.TryDequeue(group, turn, out object? item, out _))
        {
            _workers.LieDown(worker);
            return;
        }

        if (worker.IsSearching)
        {
            _workers.FoundWork(worker);
        }

        int client = (int)item;
        int processor = _processors[worker.Id];
        int from = IdleWorkers<RealSync>.GroupOf(RouteOf(client), _groups);
        double empty = _machine.EmptyLookSeconds * ((from - group + _groups) % _groups);
        double begun = Math.Max(Pass(ref _out[from], processor), _processorFreeAt[processor]) + empty;
        double ends = begun + (_load.WorkSeconds * (0.5 + _random.NextDouble()) * (1 + RemoteShare(client, processor)));
        _clients[worker.Id] = client;
        _processorFreeAt[processor] = ends;
        Add(_load.Locks > 0 ? Locks : Looks, worker.Id, ends - _now);
    }

    private double RemoteShare(int client, int processor)
    {
        int last = _lastProcessor[client];
        _lastProcessor[client] = processor;
        if (last < 0)
        {
            _home[client] = _machine.NodeOf(processor);
            return 0;
        }

        double moved = _machine.CacheOf(last) == _machine.CacheOf(processor) ? 0
            : _machine.NodeOf(last) == _machine.NodeOf(processor) ? _load.NearShare
            : _load.FarShare;
        return moved + (_home[client] == _machine.NodeOf(processor) ? 0 : _load.HomeShare);
    }

    // Whoever waits for a lock keeps its processor: such locks are held for less than a sleep takes.
    private void TakeLock(int worker)
    {
        ref (double FreeAt, int Last) held = ref _locks[_random.Next(_load.Locks)];
        int processor = _processors[worker];
        bool isFar = _machine.NodeOf(held.Last) != _machine.NodeOf(processor);
        held = (Math.Max(_now, held.FreeAt) + (_load.LockSeconds * (isFar ? 1 + _load.FarLockShare : 1)), processor);
        _processorFreeAt[processor] = Math.Max(_processorFreeAt[processor], held.FreeAt);
        Add(Looks, worker, held.FreeAt - _now);
    }

    private void End(int worker)
    {
        _ended++;
        Add(Arrives, _clients[worker], -_load.ThinkSeconds * Math.Log(1 - _random.NextDouble()));
        Look(_workers.All[worker]);
    }

    /// <summary>A processor changes a cache line that all others change too, one after the other.</summary>
    private double Pass(ref (double FreeAt, int Last) line, int processor)
    {
        line = (Math.Max(_now, line.FreeAt) + _machine.LineSeconds(line.Last, processor), processor);
        return line.FreeAt;
    }

    private void Add(int kind, int id, double after) => _events.Enqueue((kind, id), (_now + after, _number++));

    // A group's workers one after the other on the processors of its node, as the system spreads them there.
    private int[] Bound(int count)
    {
        var next = new int[_machine.Nodes];
        var processors = new int[count];
        for (int worker = 0; worker < count; worker++)
        {
            var node = _machine.Topology.NodeOf(IdleWorkers<RealSync>.GroupOf(worker, _groups));
            processors[worker] = node.Processors[next[node.Number]++ % node.Processors.Count];
        }

        return processors;
    }

    private int[] Anywhere(int count)
    {
        int[] processors = [.. Enumerable.Range(0, count)];
        _random.Shuffle(processors);
        return processors;
    }
}
