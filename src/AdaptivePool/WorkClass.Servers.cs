using System.Diagnostics.CodeAnalysis;
using AdaptivePool.Guests;

namespace AdaptivePool;

/// <remarks>How many clients have something in the class, and requests that never wait: they run where the server put them.</remarks>
public sealed partial class WorkClass
{
    private Func<int>? _countConnections;
    private GuestClass? _guests;

    /// <summary>
    /// Tells how many clients have a request in this class at this moment, 0 or more. Default <see langword="null"/>: as many as items run and wait, which
    /// misses requests that await. Over HTTP each endpoint's requests are counted, unless this was set before the first of them. Controllers see the most of a
    /// sample as <see cref="Control.PoolSample.Connections"/>. Called every few milliseconds on a thread of the pool while the class has work, so it must
    /// return at once. What it throws, and a number below 0, is told by <see cref="AdaptiveThreadPool.Faulted"/>; it is not asked again then.
    /// </summary>
    public Func<int>? CountConnections { get => Volatile.Read(ref _countConnections); set => Volatile.Write(ref _countConnections, value); }

    /// <summary>What <see cref="CountConnections"/> tells; <see langword="null"/> where nobody counts. On the sizing thread.</summary>
    internal int? CountedConnections()
    {
        if (CountConnections is not { } count)
        {
            return null;
        }

        try
        {
            int counted = count();
            return counted >= 0
                ? counted
                : throw new InvalidOperationException($"{nameof(CountConnections)} of class '{Name}' is {counted}; it must be 0 or more.");
        }
        catch (Exception exception)
        {
            // Unless another one was set meanwhile.
            Interlocked.CompareExchange(ref _countConnections, null, count);
            Pool.Set.ReportFault(exception);
            return null;
        }
    }

    internal GuestClass? Guests => Volatile.Read(ref _guests);

    /// <summary>
    /// Runs a function on the calling thread, which belongs to a server, if the class has earned that by not waiting: a hop to a worker would cost more than it
    /// brings. Otherwise the caller queues it. What follows its awaits runs on the runtime's pool, and every wait is seen; the first that lasts, or a request
    /// that runs for longer than a few milliseconds, takes the class in from the next request on.
    /// </summary>
    /// <remarks>
    /// A class earns trust by 256 requests in a row that did not wait, or by one second of fewer, with a mean run time under 0.1 ms on the pool's workers,
    /// waits for a core left out where the system tells of them. Each time it is lost, the next takes twice as long to earn; an hour later that is forgotten.
    /// Never trusted are classes whose queue is bounded, that have a weight or that say what happens when they block, pools with a controller of the user's or
    /// the founding document's, calls from a worker, and all where <see cref="AdaptivePoolOptions.Guests"/> is false.
    /// </remarks>
    /// <typeparam name="TState">Type of <paramref name="state"/>.</typeparam>
    /// <param name="function">Begins the request; what it throws is thrown here.</param>
    /// <param name="state">What to give it.</param>
    /// <param name="task">Ends as what the function returned does, where no context of the pool is current, so that whoever awaits it goes on there;
    /// <see langword="null"/> when the function was not called.</param>
    /// <returns>Whether the function was called.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    public bool TryRunAsGuest<TState>(Func<TState, Task> function, TState state, [NotNullWhen(true)] out Task? task)
    {
        ArgumentNullException.ThrowIfNull(function);
        if (!MayHaveGuests)
        {
            task = null;
            return false;
        }

        return (Guests ?? Create()).TryRun(function, state, out task);
    }

    // What a guest uses of the CPU is not in its class's share, and nobody could hold it back.
    private bool MayHaveGuests => Pool.MayHaveGuests && Bound is null && Core.Share is null && ActionOnBlocking == AdaptivePool.BlockingAction.Ignore
        && Worker.Current is null && !Pool.IsClosed;

    private GuestClass Create()
    {
        var created = new GuestClass(this);

        // Pairs with itself: of several that come first, all use the one that was first here.
        return Interlocked.CompareExchange(ref _guests, created, null) ?? created;
    }
}
