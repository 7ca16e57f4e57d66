using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using AdaptivePool.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore;

namespace AdaptivePool.Tests.EntityFrameworkCore;

/// <summary>Who hears of transactions that Entity Framework has disposed.</summary>
public sealed class DisposedTransactionsTests
{
    [Fact]
    public void Follow_InAPluginThatIsUnloaded_IsNotKept()
    {
        // The runtime keeps who listens to it, and each listener of the framework who subscribed there.
        using var listener = new DiagnosticListener(DbLoggerCategory.Name);
        Eventually.Go(FollowInACopy());
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference FollowInACopy()
    {
        var context = new AssemblyLoadContext("plugin", isCollectible: true);
        Assembly library = context.LoadFromAssemblyPath(typeof(DisposedTransactions).Assembly.Location);
        Assert.NotSame(typeof(DisposedTransactions).Assembly, library);
        library.GetType(typeof(DisposedTransactions).FullName!, throwOnError: true)!.GetMethod(nameof(DisposedTransactions.Follow))!.Invoke(null, []);
        context.Unload();
        return new WeakReference(context);
    }
}
