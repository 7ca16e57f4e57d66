using System.Diagnostics;
using Microsoft.EntityFrameworkCore.Diagnostics;

namespace AdaptivePool.EntityFrameworkCore;

/// <summary>
/// Hears of each transaction that the framework has disposed: it tells that to its listeners for diagnostics, and not to interceptors. There is one for all
/// contexts of the process, whose options may be made anew for each of them.
/// </summary>
internal sealed class DisposedTransactions : IObserver<DiagnosticListener>, IObserver<KeyValuePair<string, object?>>
{
    private static readonly string s_event = RelationalEventId.TransactionDisposed.Name!;

    /// <summary>Begins to hear of them.</summary>
    /// <returns>Ends it.</returns>
    public static IDisposable Follow() => DiagnosticListener.AllListeners.Subscribe(new DisposedTransactions());

    /// <summary>The framework has a listener for each configuration of its own services.</summary>
    public void OnNext(DiagnosticListener value)
    {
        if (value.Name == DbLoggerCategory.Name)
        {
            // By its name: of what nobody wants to hear, the framework makes no event.
            value.Subscribe(this, static name => name == s_event);
        }
    }

    public void OnNext(KeyValuePair<string, object?> value)
    {
        // What others want to hear comes here as well.
        if (value.Key == s_event && value.Value is TransactionEventData disposed)
        {
            ConnectionLease.Disposed(disposed.Transaction);
        }
    }

    public void OnCompleted()
    {
    }

    public void OnError(Exception error)
    {
    }
}
