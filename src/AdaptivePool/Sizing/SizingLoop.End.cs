using AdaptivePool.Dispatch;

namespace AdaptivePool.Sizing;

/// <remarks>The end of the pool.</remarks>
internal sealed partial class SizingLoop
{
    /// <summary>Begins the end of the pool.</summary>
    /// <returns>A task that ends when all is over.</returns>
    public Task Close() => _end.Close(_doze.Call);

    private bool TryFinish(double now)
    {
        if (!_end.TryFinish(_drain.IsOver(now)))
        {
            return false;
        }

        try
        {
            // No worker is looked at any more: gives back the files kept of their threads.
            _watch.Sample(new Worker?[_set.Workers.Length], now);
            _starter.Stop();
            _budget.Leave();
            _end.TellOver();
        }
        catch (Exception exception)
        {
            // Whoever disposes the pool waits for this thread: it must not die here.
            _set.ReportFault(exception);
        }
        finally
        {
            _end.Complete();
        }

        return true;
    }
}
