using AdaptivePool.Sensing;
using AdaptivePool.Stacks;

namespace AdaptivePool.Runtime;

/// <summary>
/// What can be seen of the runtime's pool. No code can see the stacks of its threads, but its queue can be listed, as debuggers do, and the kernel reports
/// which of its threads sleep.
/// </summary>
internal static class RuntimePoolView
{
    private const int MostTasks = 1_000;
    private const string WorkerName = ".NET TP Worker";

    public static long Completed => ThreadPool.CompletedWorkItemCount;

    public static long Pending => ThreadPool.PendingWorkItemCount;

    public static int ThreadCount => ThreadPool.ThreadCount;

    /// <summary>Queues an item there.</summary>
    /// <param name="item">The item.</param>
    /// <param name="preferLocal">Whether to prefer the queue of the calling thread, as the continuation of an await does.</param>
    public static void Queue(IThreadPoolWorkItem item, bool preferLocal)
    {
        try
        {
            ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal);
        }
        catch (OutOfMemoryException)
        {
            // The item is queued. The system refuses the thread that the item made the pool ask for.
        }
    }

    /// <summary>The program's method that most tasks in the queue belong to; <see langword="null"/> where none is seen.</summary>
    public static string? WaitingMethod(ProgramCode program) =>
        Waiting()
            .Take(MostTasks)
            .Select(FrameOf)
            .OfType<FrameName>()
            .Where(frame => program.OriginOf(frame) is CodeOrigin.Application or CodeOrigin.Unknown)
            .CountBy(static frame => MethodNameRule.Of(frame.Type, frame.Method), StringComparer.Ordinal)
            .OrderByDescending(static place => place.Value)
            .Select(static place => place.Key)
            .FirstOrDefault();

    /// <summary>Its threads, and those of them that sleep; zeros where the kernel does not report them.</summary>
    public static (int Threads, int Asleep) Threads()
    {
        int[] threads = [.. ThreadProbe.Threads().Where(static thread => string.Equals(ThreadProbe.Name(thread), WorkerName, StringComparison.Ordinal))];
        return (threads.Length, threads.Count(static thread => ThreadProbe.IsAsleep(thread) is true));
    }

    private static IEnumerable<Task> Waiting()
    {
        try
        {
            return ScheduledTasks(TaskScheduler.Default) ?? [];
        }
        catch (MissingMethodException)
        {
            // Another runtime without that method: the report does without it.
            return [];
        }
    }

    private static FrameName? FrameOf(Task task)
    {
        // The continuation of an async function is a task whose type has the function's state machine as its last argument.
        Type[] arguments = task.GetType().GenericTypeArguments;
        if (arguments.Length > 0 && arguments[^1] is { } machine && machine.IsAssignableTo(typeof(IAsyncStateMachine)))
        {
            return Frame(machine, "MoveNext");
        }

        try
        {
            return Action(task) is { Method: { DeclaringType: { } type } method } ? Frame(type, method.Name) : null;
        }
        catch (MissingFieldException)
        {
            return null;
        }
    }

    private static FrameName Frame(Type type, string method) =>
        new(type.Assembly.GetName().Name ?? "", (type.IsGenericType ? type.GetGenericTypeDefinition() : type).FullName ?? "", method);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "GetScheduledTasksForDebugger")]
    private static extern Task[]? ScheduledTasks(TaskScheduler scheduler);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "m_action")]
    private static extern ref Delegate? Action(Task task);
}
