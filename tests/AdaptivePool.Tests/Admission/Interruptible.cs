namespace AdaptivePool.Tests.Admission;

/// <summary>A thread that waits for something, and is interrupted.</summary>
internal sealed class Interruptible
{
    private readonly Thread _thread;
    private Exception? _failure;

    public Interruptible(Action wait)
    {
        _thread = new Thread(() =>
        {
            try
            {
                wait();
            }
            catch (Exception failure)
            {
                _failure = failure;
            }
        });
        _thread.UnsafeStart();
    }

    /// <summary>Whether it met the interruption, and not only its end.</summary>
    public bool WasInterrupted => _failure is ThreadInterruptedException;

    /// <summary>Interrupts it, and waits for its end.</summary>
    /// <param name="meanwhile">What happens before it knows of the interruption, or hardly after.</param>
    public void End(Action? meanwhile = null)
    {
        _thread.Interrupt();
        meanwhile?.Invoke();
        _thread.Join(Eventually.Patience).ShouldBeTrue();
    }
}
