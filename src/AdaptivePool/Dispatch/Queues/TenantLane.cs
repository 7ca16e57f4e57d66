using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Dispatch.Queues;

/// <summary>
/// Work of many tenants, one item of each in turn, first in, first out for each: a tenant that sends a hundred times as much waits behind itself. A tenant
/// without work takes no memory.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class TenantLane<TSync>
    where TSync : struct, ISync
{
    /// <summary>Queues kept for the next tenants, so that a tenant whose items come one at a time costs no memory each time.</summary>
    private const int MostSpare = 64;

    /// <summary>From this many tenants on, the tables are given back once nothing waits.</summary>
    private const int ManyTenants = 1_024;

    private readonly SyncLock<TSync> _lock = new();
    private readonly Stack<Queue<object>> _spare = new(MostSpare);
    private readonly Dictionary<string, Queue<object>> _waiting = new(StringComparer.Ordinal);
    private readonly Queue<string> _turns = new();
    private int _count;
    private int _tenants;

    /// <summary>Items that wait; a hint when others enqueue.</summary>
    public int Count => TSync.RelaxedRead(ref _count);

    /// <summary>Tenants whose items wait. A hint.</summary>
    public int Tenants => TSync.RelaxedRead(ref _tenants);

    /// <summary>The items waiting at this moment, with their tenants.</summary>
    public IEnumerable<(string Tenant, object Item)> Items
    {
        get
        {
            using SyncLock<TSync>.Holder held = _lock.Hold();
            return Read();
        }
    }

    /// <summary>The same for a caller that must not wait; <see langword="null"/> while another thread is inside.</summary>
    public IEnumerable<(string Tenant, object Item)>? TryRead()
    {
        if (!_lock.TryHold(out SyncLock<TSync>.Holder held))
        {
            return null;
        }

        using (held)
        {
            return Read();
        }
    }

    public void Enqueue(string tenant, object item)
    {
        using SyncLock<TSync>.Holder held = _lock.Hold();
        if (_waiting.TryGetValue(tenant, out Queue<object>? queue))
        {
            queue.Enqueue(item);
        }
        else
        {
            // All memory is allocated before any change can be seen.
            _turns.EnsureCapacity(_turns.Count + 1);
            queue = _spare.TryPop(out Queue<object>? spare) ? spare : new Queue<object>();
            queue.EnsureCapacity(1);
            _waiting.Add(tenant, queue);
            queue.Enqueue(item);
            _turns.Enqueue(tenant);
        }

        Tell(1);
    }

    public bool TryDequeue([MaybeNullWhen(false)] out object item)
    {
        item = null;
        if (Count == 0)
        {
            return false;
        }

        using SyncLock<TSync>.Holder held = _lock.Hold();
        if (!_turns.TryDequeue(out string? tenant))
        {
            return false;
        }

        Queue<object> queue = _waiting[tenant];
        item = queue.Dequeue();
        if (queue.Count > 0)
        {
            _turns.Enqueue(tenant);
        }
        else
        {
            Forget(tenant, queue);
        }

        Tell(-1);
        return true;
    }

    private (string Tenant, object Item)[] Read() =>
        [.. _waiting.SelectMany(static tenant => tenant.Value.Select(item => (tenant.Key, item)))];

    private void Forget(string tenant, Queue<object> queue)
    {
        _waiting.Remove(tenant);
        if (_spare.Count < MostSpare && queue.Capacity <= ManyTenants)
        {
            _spare.Push(queue);
        }

        if (_waiting.Count == 0 && _waiting.Capacity >= ManyTenants)
        {
            _waiting.TrimExcess();
            _turns.TrimExcess();
        }
    }

    private void Tell(int added)
    {
        TSync.RelaxedWrite(ref _count, TSync.Read(ref _count) + added);
        TSync.RelaxedWrite(ref _tenants, _waiting.Count);
    }
}
