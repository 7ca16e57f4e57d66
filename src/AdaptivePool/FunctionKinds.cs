namespace AdaptivePool;

/// <summary>
/// Turns the other kinds of function into the kinds that the pool runs. The user's function is the target of the new delegate, so that checks of the
/// function's code still find it.
/// </summary>
internal static class FunctionKinds
{
    /// <summary>Turns an action into a function whose result has no meaning: bounded work consists of functions.</summary>
    public static Func<bool> AsValue(this Action action) => action.CallForValue;

    public static Func<Task> AsFunction(this Func<ValueTask> function) => NotNull(function).Call;

    public static Func<Task<T>> AsFunction<T>(this Func<ValueTask<T>> function) => NotNull(function).Call;

    private static T NotNull<T>(T function, [CallerArgumentExpression(nameof(function))] string? name = null)
        where T : Delegate
    {
        ArgumentNullException.ThrowIfNull(function, name);
        return function;
    }

    private static bool CallForValue(this Action action)
    {
        action();
        return true;
    }

    private static Task Call(this Func<ValueTask> function) => function().AsTask();

    private static Task<T> Call<T>(this Func<ValueTask<T>> function) => function().AsTask();
}
