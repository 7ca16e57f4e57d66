namespace AdaptivePool.Tests.ModelChecking;

/// <summary>What a location holds: a number or a reference.</summary>
internal readonly record struct Value(long Number, object? Reference)
{
    /// <summary>The content of a variable. By the type that it is declared with: a boxed number in a variable of objects is a reference.</summary>
    public static Value Of<T>(T content) =>
        typeof(T) == typeof(long) ? new((long)(object)content!, null)
        : typeof(T) == typeof(int) ? new((int)(object)content!, null)
        : typeof(T) == typeof(bool) ? new((bool)(object)content! ? 1 : 0, null)
        : new(0, content);

    /// <summary>What a variable of this content has. The compiler leaves out the boxes of statements by themselves.</summary>
    public T As<T>()
    {
        if (typeof(T) == typeof(long))
        {
            return (T)(object)Number;
        }

        if (typeof(T) == typeof(int))
        {
            return (T)(object)(int)Number;
        }

        return typeof(T) == typeof(bool) ? (T)(object)(Number != 0) : (T)Reference!;
    }
}
