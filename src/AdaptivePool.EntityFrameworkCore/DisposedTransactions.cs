using System.Diagnostics;
using System.Runtime.Loader;
using Microsoft.EntityFrameworkCore.Diagnostics;

namespace AdaptivePool.EntityFrameworkCore;

/// <summary>
/// Observes each transaction that the framework has disposed. The framework reports that to diagnostic listeners, and not to interceptors. One observer serves
/// all contexts of the process, because an application may create new options for each context.
/// </summary>
internal sealed class DisposedTransactions : IObserver<DiagnosticListener>, IObserver<KeyValuePair<string, object?>>, IDisposable
{
    private static readonly string s_event = RelationalEventId.TransactionDisposed.Name!;

    private readonly Lock _lock = new();
    private readonly List<IDisposable> _followed = [];
    private bool _isDisposed;

    private DisposedTransactions()
    {
    }

    /// <summary>Begins to observe.</summary>
    /// <returns>An object that ends the observation when it is disposed.</returns>
    public static IDisposable Follow()
    {
        DisposedTransactions all = new();
        all.Keep(DiagnosticListener.AllListeners.Subscribe(all));

        // The runtime keeps a reference to the observer: without this, a plugin's own copy of this library could not be unloaded.
        if (AssemblyLoadContext.GetLoadContext(typeof(DisposedTransactions).Assembly) is { IsCollectible: true } context)
        {
            context.Unloading += _ => all.Dispose();
        }

        return all;
    }

    /// <summary>The framework has a listener for each configuration of its own services.</summary>
    public void OnNext(DiagnosticListener value)
    {
        if (value.Name == DbLoggerCategory.Name)
        {
            // Filters by name: the framework creates no event that no observer wants.
            Keep(value.Subscribe(this, static name => name == s_event));
        }
    }

    public void OnNext(KeyValuePair<string, object?> value)
    {
        // Events that other observers want arrive here as well.
        if (value.Key == s_event && value.Value is TransactionEventData disposed)
        {
            ConnectionLease.Disposed(disposed.Transaction, disposed.TransactionId);
        }
    }

    public void OnCompleted()
    {
    }

    public void OnError(Exception error)
    {
    }

    public void Dispose()
    {
        IDisposable[] followed;
        lock (_lock)
        {
            _isDisposed = true;
            followed = [.. _followed];
            _followed.Clear();
        }

        Array.ForEach(followed, static one => one.Dispose());
    }

    private void Keep(IDisposable followed)
    {
        lock (_lock)
        {
            if (!_isDisposed)
            {
                _followed.Add(followed);
                return;
            }
        }

        followed.Dispose();
    }
}
