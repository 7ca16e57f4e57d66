using AdaptivePool.Internal;

namespace AdaptivePool;

/// <remarks>Background work, on threads of its own that the system puts behind all others.</remarks>
public sealed partial class AdaptiveThreadPool
{
    private readonly Lock _elasticLock = new();
    private readonly PoolSurroundings _surroundings;
    private AdaptiveThreadPool? _elastic;

    /// <summary>
    /// The part of this pool that runs background work: it gets the CPU that is left over by everything else on the machine, and gives it back as soon as
    /// something else wants it. Made when it is first asked for, with the options of this pool and threads, classes, limits and counts of its own; ends with
    /// this pool, after it. Of the elastic part itself: the same.
    /// </summary>
    /// <remarks>
    /// Its threads run under the policy SCHED_IDLE with nice 19 on Linux and with the lowest priority on Windows, which needs no privilege. Elsewhere they are
    /// as all others, which <see cref="Warned"/> of the elastic part tells. Never hold a lock there that other work needs: who holds it may not run for as long
    /// as the machine is busy. What follows an await of a background item is background work, too.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The pool is disposed, and had no background work until then.</exception>
    public AdaptiveThreadPool Elastic => _surroundings.IsElastic ? this : Volatile.Read(ref _elastic) ?? CreateElastic();

    private bool ElasticWouldWait => Volatile.Read(ref _elastic) is { } elastic && elastic.WouldWaitForItself;

    private AdaptiveThreadPool CreateElastic()
    {
        lock (_elasticLock)
        {
            if (_elastic is { } made)
            {
                return made;
            }

            ObjectDisposedException.ThrowIf(IsClosed, this);
            AdaptivePoolOptions options = _options.Copy();
            options.Name = $"{Name} elastic";
            options.DecisionLogFile = null;
            options.Guests = false;
            var created = new AdaptiveThreadPool(options, _surroundings with { Threads = ThreadSource.Elastic, RuntimePool = null, IsElastic = true });
            if (!ThreadRank.IsSupported)
            {
                created.Warn("This system has no threads that run behind all others: background work takes CPU from other work");
            }

            Volatile.Write(ref _elastic, created);
            return created;
        }
    }

    /// <summary>Ends this pool, and then its elastic part, if there is one: until this pool has ended what it runs may wait for background work.</summary>
    private async Task Close()
    {
        await Sizing.Close().ConfigureAwait(false);
        Task elastic;
        lock (_elasticLock)
        {
            // Who comes later sees that this pool is closed, and makes none.
            elastic = _elastic?.Sizing.Close() ?? Task.CompletedTask;
        }

        await elastic.ConfigureAwait(false);
    }
}
