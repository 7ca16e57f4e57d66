namespace AdaptivePool.Tests.Contracts.TaskPrograms;

/// <summary>The plainest context: posts to the runtime's pool, and is current while it runs what was posted.</summary>
internal sealed class ReferenceContext : SynchronizationContext
{
    public override void Post(SendOrPostCallback d, object? state) => ThreadPool.QueueUserWorkItem(
        queued =>
        {
            SetSynchronizationContext(this);
            queued.Callback(queued.State);
        },
        (Callback: d, State: state),
        preferLocal: false);

    public override void Send(SendOrPostCallback d, object? state)
    {
        if (Thread.CurrentThread.IsThreadPoolThread)
        {
            d(state);
        }
        else
        {
            Task.Run(() => d(state)).GetAwaiter().GetResult();
        }
    }

    public override SynchronizationContext CreateCopy() => this;
}
