using System.Reflection;

namespace AdaptivePool.Tests.Internal;

/// <summary>
/// A token whose source is in use by another thread: who registers or unregisters spins until it is let go of, and sleeps in between, as it does on full cores.
/// </summary>
internal sealed class HeldSource : IDisposable
{
    private readonly CancellationTokenSource _source = new();
    private object? _registrations;

    public CancellationToken Token => _source.Token;

    /// <summary>Takes the lock of the registrations, of which there must be one.</summary>
    public void Hold()
    {
        _registrations = typeof(CancellationTokenSource).GetField("_registrations", BindingFlags.Instance | BindingFlags.NonPublic)
            .ShouldNotBeNull().GetValue(_source).ShouldNotBeNull("somebody must have registered");
        Call("EnterLock");
    }

    public void Cancel() => _source.Cancel();

    public void LetGo() => Call("ExitLock");

    /// <summary>Interrupts a thread that comes to the lock, while it sleeps there, and again while it has begun anew.</summary>
    public static void InterruptAtTheLock(Func<Thread?> thread)
    {
        for (int i = 0; i < 2; i++)
        {
            Eventually.Be(() => thread() is { } it && it.ThreadState.HasFlag(ThreadState.WaitSleepJoin), "it must come to the lock");
            thread()!.Interrupt();
        }
    }

    public void Dispose() => _source.Dispose();

    private void Call(string method) =>
        _registrations.ShouldNotBeNull().GetType().GetMethod(method, BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .ShouldNotBeNull().Invoke(_registrations, []);
}
