namespace AdaptivePool.Diagnostics;

/// <summary>
/// The context of event handlers on a thread that has none. An asynchronous handler posts what it throws, at once or after an await, to the context under which
/// it began; under none that would end the process. What follows its awaits runs on the runtime's pool, as under none.
/// </summary>
/// <param name="onFault">Told what is thrown. Must not throw.</param>
internal sealed class HandlerContext(Action<Exception> onFault) : SynchronizationContext
{
    public override void Post(SendOrPostCallback d, object? state) => base.Post(
        state =>
        {
            try
            {
                d(state);
            }
            catch (Exception exception)
            {
                onFault(exception);
            }
        },
        state);

    public override SynchronizationContext CreateCopy() => this;
}
