namespace AdaptivePool.Dispatch;

/// <summary>
/// Recognizes code that belongs to a task scheduler built on top of the pool. Such code runs without the pool's context: an await captures
/// <see cref="SynchronizationContext.Current"/> before <see cref="TaskScheduler.Current"/>, so the tasks of that scheduler would come back to the pool, past
/// the scheduler.
/// </summary>
/// <remarks>TryExecuteTask is protected, so the code that runs a scheduler's tasks is mostly inside its class.</remarks>
internal static class SchedulerCode
{
    private static readonly ConditionalWeakTable<Type, StrongBox<bool>> s_known = [];

    [ThreadStatic]
    private static LastAnswer t_isPart;

    /// <summary>Whether a task whose state is of this type runs the tasks of another scheduler, as a pair's own tasks do.</summary>
    public static bool IsScheduler(Type state) => state.IsAssignableTo(typeof(ConcurrentExclusiveSchedulerPair)) || IsOther(state);

    /// <summary>Whether a delegate is a method of a task scheduler, or of a type written inside one, as the closure of a lambda is.</summary>
    public static bool Contains(Delegate code)
    {
        while (code.Target is Delegate inner)
        {
            // A delegate of another type calls the inner one.
            code = inner;
        }

        // A static method has no target.
        return code.Target is { } target ? Contains(target) : code.Method.DeclaringType is { } type && IsPart(type);
    }

    /// <summary>Whether a work item, or the target of a delegate, is a task scheduler or of a type written inside one.</summary>
    public static bool Contains(object target)
    {
        // Read once: each access looks up the thread's own copy.
        ref LastAnswer isPart = ref t_isPart;
        if (!isPart.IsMade)
        {
            isPart = new LastAnswer(IsPart);
        }

        return isPart.For(target);
    }

    /// <summary>The same for its type.</summary>
    public static bool IsPart(Type type) => s_known.GetValue(type, static type => new StrongBox<bool>(IsWrittenInside(type))).Value;

    private static bool IsWrittenInside(Type type)
    {
        Type? outer = type;
        while (outer is not null && !outer.IsSubclassOf(typeof(TaskScheduler)))
        {
            outer = outer.DeclaringType;
        }

        return outer is not null && IsOther(outer);
    }

    private static bool IsOther(Type type) => type.IsSubclassOf(typeof(TaskScheduler)) && type != typeof(AdaptiveTaskScheduler);
}
