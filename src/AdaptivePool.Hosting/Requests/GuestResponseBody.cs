using System.IO.Pipelines;
using Microsoft.AspNetCore.Http.Features;

namespace AdaptivePool.Hosting.Requests;

/// <summary>
/// The body of a guest's answer. The server reads a file on threads of the runtime's pool, and each read that came back under the guest's context would be one
/// more item of that pool. So files are sent under no context; the guest goes on under its own where the last read has ended.
/// </summary>
/// <param name="inner">The server's body.</param>
/// <param name="guest">The guest's context.</param>
internal sealed class GuestResponseBody(IHttpResponseBodyFeature inner, SynchronizationContext guest) : IHttpResponseBodyFeature
{
    public Stream Stream => inner.Stream;

    public PipeWriter Writer => inner.Writer;

    public void DisableBuffering() => inner.DisableBuffering();

    public Task StartAsync(CancellationToken cancellationToken = default) => inner.StartAsync(cancellationToken);

    public Task CompleteAsync() => inner.CompleteAsync();

    public Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken = default)
    {
        // It is another context if the class has moved to workers meanwhile, or if the app has set a context of its own.
        if (!ReferenceEquals(SynchronizationContext.Current, guest))
        {
            return inner.SendFileAsync(path, offset, count, cancellationToken);
        }

        Task sending = NoContext.Begin(
            (inner, path, offset, count, cancellationToken), static it => it.inner.SendFileAsync(it.path, it.offset, it.count, it.cancellationToken));
        return sending.IsCompleted ? sending : new Sending(sending, guest).Task;
    }

    /// <summary>A file on its way. Ends under the guest's context, where code that awaits it goes on inline.</summary>
    private sealed class Sending : TaskCompletionSource
    {
        private static readonly SendOrPostCallback s_end = static it => ((Sending)it!).SetFromTask(((Sending)it)._sending);

        private readonly Task _sending;
        private readonly SynchronizationContext _guest;

        public Sending(Task sending, SynchronizationContext guest)
        {
            (_sending, _guest) = (sending, guest);
            sending.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(OnEnd);
        }

        // A guest's context runs here what is sent to it.
        private void OnEnd() => _guest.Send(s_end, this);
    }
}
