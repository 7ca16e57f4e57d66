namespace AdaptivePool.Diagnostics;

/// <summary>
/// The context of event handlers on a thread that has none. An asynchronous handler posts its exception, at once or after an await, to the context under
/// which it began. Without a context the exception would end the process. Code after its awaits runs on the runtime's pool, as without a context.
/// </summary>
/// <param name="onFault">Called with the exception. Must not throw.</param>
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
