namespace AdaptivePool;

/// <remarks>How many clients have something in the class.</remarks>
public sealed partial class WorkClass
{
    private Func<int>? _countConnections;

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
}
