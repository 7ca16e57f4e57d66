namespace AdaptivePool;

/// <remarks>Background work runs on separate threads. The system runs them only when no other thread wants the CPU.</remarks>
public sealed partial class AdaptiveThreadPool
{
    private readonly Lock _elasticLock = new();
    private readonly PoolSurroundings _surroundings;
    private AdaptiveThreadPool? _elastic;

    /// <summary>
    /// The elastic part of this pool, which runs background work. It uses the CPU time that everything else on the machine leaves free, and gives it up as soon
    /// as something else wants it. The pool creates it on first use, with the options that this pool was created with, but without guests and
    /// <see cref="AdaptivePoolOptions.DecisionLogFile"/>, and with its own threads, classes, limits and counts. It
    /// ends with this pool, after it. On the elastic part itself, this property returns the same part. What goes wrong there and has no handler there is raised
    /// by the events of this pool, with the part as the sender: <see cref="Faulted"/>, <see cref="Warned"/>, <see cref="BlockingReported"/>,
    /// <see cref="BlockingFound"/> and <see cref="DeadlockChanged"/>. <see cref="PoolSnapshot.Elastic"/> has its state.
    /// </summary>
    /// <remarks>
    /// On Linux its threads run under the policy SCHED_IDLE, and on Windows with the lowest priority. Neither needs a privilege. On other systems the threads
    /// are like all others, and <see cref="Warned"/> of the elastic part reports that. On Linux threads and processes that background work starts inherit the
    /// policy, also those that the runtime starts then; see docs/shares.md. Never hold a lock in background work that other work needs:
    /// the thread that holds the lock may not run for as long as the machine is busy. Code after an await of a background item is background work, too. While
    /// the pool is being disposed, background work that queues to it is refused as any new work.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">
    /// The pool is disposed, and its elastic part had not been created before. Items that still run on the pool's workers can create it until the pool has
    /// ended.
    /// </exception>
    /// <exception cref="InvalidOperationException">The system refuses the process one of the threads that the part has beside its workers.</exception>
    public AdaptiveThreadPool Elastic => _surroundings.IsElastic ? this : Volatile.Read(ref _elastic) ?? CreateElastic();

    private bool ElasticWouldWait => Volatile.Read(ref _elastic) is { } elastic && elastic.WouldWaitForItself;

    private AdaptiveThreadPool CreateElastic()
    {
        AdaptiveThreadPool created;
        lock (_elasticLock)
        {
            if (_elastic is { } made)
            {
                return made;
            }

            // Items that still run may need the part in order to end. After the stop no thread would end the part: CloseElastic may have run already.
            ObjectDisposedException.ThrowIf(IsClosed && (Set.Stopped || Worker.CurrentOf(Set) is null), this);
            AdaptivePoolOptions options = _options.Copy();
            options.Name = $"{Name} elastic";
            options.DecisionLogFile = null;
            options.Guests = false;
            if (_oversubscribe is { } oversubscribe)
            {
                (options.Sizing, options.Oversubscribe) = (PoolSizing.Adaptive, oversubscribe);
            }

            created = new AdaptiveThreadPool(options, _surroundings with { Threads = ThreadSource.Elastic, RuntimePool = null, Whole = this });
            Volatile.Write(ref _elastic, created);
        }

        // Pairs with the fence in the adder of Warned: a handler that is added from now on finds the part, or the call below finds the handler for warnings
        // that had no handler so far. The call is outside of the lock, and after the part is stored: handlers run here, and may ask for the part.
        Interlocked.MemoryBarrier();
        if (!ThreadRank.IsSupported)
        {
            created.Warnings.Keep("This system has no threads with idle priority: background work takes CPU time from other work");
        }

        created.Warnings.TellAgain();
        return created;
    }

    /// <summary>Ends this pool, and then its elastic part, if there is one. Until this pool has ended, its items may wait for background work.</summary>
    private async Task Close()
    {
        // A part that is disposed alone says nothing about the end of its pool, with which it shares one time.
        if (!_surroundings.IsElastic)
        {
            _surroundings.End.Begin();
        }

        await Sizing.Close().ConfigureAwait(false);
        await CloseElastic().ConfigureAwait(false);
    }

    private Task CloseElastic()
    {
        lock (_elasticLock)
        {
            // A thread that comes later sees that this pool is stopped, and creates no part.
            return _elastic?.Sizing.Close() ?? Task.CompletedTask;
        }
    }
}
