using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace AdaptivePool.Tests;

/// <summary>A plugin may bring a copy of the library: nothing of the runtime's that is static keeps one whose pools have ended.</summary>
public sealed class UnloadTests
{
    [Fact]
    public void Unload_PoolDisposed_LibraryGoes() => Goes(static _ => { });

    // The thread that queues lives on.
    [Fact]
    public void Unload_TaskHasRun_LibraryGoes() => Goes(static pool =>
    {
        var scheduler = (TaskScheduler)pool.GetType().GetProperty(nameof(AdaptiveThreadPool.Scheduler))!.GetValue(pool)!;
        Eventually.End(Task.Factory.StartNew(static () => { }, CancellationToken.None, TaskCreationOptions.None, scheduler));
    });

    // The thread that watches guests lived on, and so did the copy.
    [Fact]
    public void Unload_RequestsWereGuests_LibraryGoes() => Goes(static pool =>
    {
        Type type = pool.GetType();
        object requests = type.GetMethod(nameof(AdaptiveThreadPool.GetClass))!.Invoke(pool, ["requests"])!;
        var tryRun = requests.GetType().GetMethod(nameof(WorkClass.TryRunAsGuest))!.MakeGenericMethod(typeof(string));
        Type priority = type.Assembly.GetType(typeof(WorkPriority).FullName!)!;
        var run = requests.GetType().GetMethod(nameof(WorkClass.Run), [typeof(Action), priority, typeof(CancellationToken)])!;
        Func<string, Task> request = static _ => Task.CompletedTask;
        Action work = static () => { };
        Eventually.Be(
            () =>
            {
                Eventually.End((Task)run.Invoke(requests, [work, Type.Missing, Type.Missing])!);
                return (bool)tryRun.Invoke(requests, [request, "", null])!;
            },
            "requests that never wait become guests");
    });

    private static void Goes(Action<object> use) => Eventually.Go(UseCopy(use));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference UseCopy(Action<object> use)
    {
        var context = new AssemblyLoadContext("plugin", isCollectible: true);
        Assembly library = context.LoadFromAssemblyPath(typeof(AdaptiveThreadPool).Assembly.Location);
        Assert.NotSame(typeof(AdaptiveThreadPool).Assembly, library);
        using (var pool = (IDisposable)Activator.CreateInstance(library.GetType(typeof(AdaptiveThreadPool).FullName!, throwOnError: true)!, [null])!)
        {
            use(pool);
        }

        context.Unload();
        return new WeakReference(context);
    }
}
