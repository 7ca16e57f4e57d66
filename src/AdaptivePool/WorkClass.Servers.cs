using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using AdaptivePool.Guests;

namespace AdaptivePool;

/// <remarks>
/// The number of clients that have a request in the class, and guests: requests of a class that never waits, which run on the server's thread where they
/// arrive.
/// </remarks>
public sealed partial class WorkClass
{
    private Func<int>? _countConnections;
    private GuestClass? _guests;

    /// <summary>
    /// A function that returns how many clients have a request in this class at this moment, 0 or more. Default <see langword="null"/>: the number of items
    /// that run or wait, which misses requests that await. Over HTTP the integration counts the requests of each endpoint, unless this property was set before
    /// the first request. Controllers get the largest value of a sample as <see cref="Control.PoolSample.Connections"/>. The pool calls the function every few
    /// milliseconds on one of its threads while the class has work, so it must return at once. <see cref="AdaptiveThreadPool.Faulted"/> reports an exception
    /// from it or a number below 0; the pool does not call it again after that.
    /// </summary>
    public Func<int>? CountConnections { get => Volatile.Read(ref _countConnections); set => Volatile.Write(ref _countConnections, value); }

    /// <summary>The result of <see cref="CountConnections"/>; <see langword="null"/> where it is not set or fails. Called on the sizing thread.</summary>
    internal int? CountedConnections()
    {
        if (CountConnections is not { } count)
        {
            return null;
        }

        try
        {
            using var kept = new KeptThread();
            int counted = count();
            return counted >= 0
                ? counted
                : throw new InvalidOperationException(
                    string.Create(CultureInfo.InvariantCulture, $"{nameof(CountConnections)} of class '{Name}' is {counted}; it must be 0 or more."));
        }
        catch (Exception exception)
        {
            // Unless another function was set meanwhile.
            Interlocked.CompareExchange(ref _countConnections, null, count);
            Pool.Set.ReportFault(exception);
            return null;
        }
    }

    internal GuestClass? Guests => Volatile.Read(ref _guests);

    /// <summary>
    /// Runs a function on the calling thread, which belongs to a server, if the class has earned this by not waiting: there, a switch to a worker would cost
    /// more than it brings. Otherwise the caller queues the function. Code after its awaits runs on the runtime's pool. The first wait that lasts and that the
    /// pool observes, or a request that runs for longer than a few milliseconds, moves the class back to the workers from the next request on.
    /// </summary>
    /// <remarks>
    /// A class earns this trust with 256 requests in a row that did not wait, or with one second of fewer requests, at a mean run time under 0.1 ms on the
    /// pool's workers. Where the system reports how long a thread waits for a core, that time is not counted. Each time the class loses the trust, the next
    /// time takes twice as long to earn; after an hour the pool forgets this.
    /// A class whose requests wait briefly, at a mean run time of at most 2 ms with all waits, is trusted too, after one second in which the machine was full
    /// (at most 5 % idle) and at most one in 64 of the pool's requests was of a class that is not as brief, or in which at least 20 % of the machine was idle
    /// and at most one brief request for each four cores ran at once. It loses the trust after five times 0.2 s with many others or with more than 20 % idle,
    /// both unless 10 % of the machine is idle and at most one for each two cores runs at once, or with a mean above 4 ms (2 ms on workers), as soon as one
    /// request has waited for a second or more than eight for each core have waited for 100 ms, and if a request goes on after an await. From the first 0.2 s
    /// with such a reason on, and as soon as more than two requests for each core have waited for 100 ms, the method does not call the function until 0.2 s
    /// without a reason have passed. A class of a pool whose <see cref="AdaptivePoolOptions.MaxThreads"/> was set is not trusted while its requests wait.
    /// The following are never trusted: classes with a bounded queue, a weight or a blocking action, of their own or of the pool, which lose the trust with
    /// the next request; pools with a custom controller, with a fixed size, with <see cref="AdaptivePoolOptions.Oversubscribe"/> or with the controller of the
    /// founding document; calls from a worker, or from a thread that does not belong to the runtime's pool; and all calls if
    /// <see cref="AdaptivePoolOptions.Guests"/> is false.
    /// The pool observes the waits of the first 1,024 requests, under a <see cref="SynchronizationContext"/> of its own. If none of them waited, it observes
    /// one in eight, and at least one each 5 ms; the others have no context. After a wait in a class that is trusted not to wait, after a call of an
    /// <c>async void</c> method, and where <see cref="AdaptiveThreadPool.CurrentBlockingAction"/> was ever set, it observes all. What an
    /// <c>async void</c> method throws in a request without a context ends the process.
    /// </remarks>
    /// <typeparam name="TState">The type of <paramref name="state"/>.</typeparam>
    /// <param name="function">The function that begins the request. Exceptions that it throws are thrown to the caller.</param>
    /// <param name="state">The argument of the function.</param>
    /// <param name="task">
    /// A task that ends in the same way as the task that the function returned, while no context of the pool is current, so that code that awaits it continues
    /// there; <see langword="null"/> if the function was not called.
    /// </param>
    /// <returns>Whether the function was called.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <exception cref="InvalidOperationException">The function returned null.</exception>
    public bool TryRunAsGuest<TState>(Func<TState, Task> function, TState state, [NotNullWhen(true)] out Task? task)
    {
        ArgumentNullException.ThrowIfNull(function);
        if (!MayHaveGuests)
        {
            if (SaysWhereItRuns && Guests is { IsGuest: true } trusted)
            {
                // Otherwise the end of its guests would go unnoticed.
                trusted.TakeIn(TrustChange.Settings);
            }

            task = null;
            return false;
        }

        // Several first callers all use the instance that was stored first.
        GuestClass guests = Guests ?? LazyInitializer.EnsureInitialized(ref _guests, () => new GuestClass(this));
        return guests.TryRun(function, state, out task);
    }

    // The CPU time of a guest does not count for its class's share, and the pool could not hold a guest back.
    private bool MayHaveGuests => Pool.MayHaveGuests && !SaysWhereItRuns && Worker.Current is null && !Pool.IsClosed
        && AdaptiveThreadPool.FlowedBlockingAction is null or AdaptivePool.BlockingAction.Ignore;

    /// <summary>Whether a setting of the class or the pool decides where its work runs, or bounds it. Such a class has no guests.</summary>
    internal bool SaysWhereItRuns => Bound is not null || Core.Share is not null
        || (BlockingAction ?? Pool.BlockingAction) != AdaptivePool.BlockingAction.Ignore;
}
