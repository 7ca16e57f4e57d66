using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Internal;

/// <summary>Makes lists of values.</summary>
internal static class ValueLists
{
    public static ValueList<T> Of<T>(params IEnumerable<T> items)
        where T : struct
    {
        var list = new ValueList<T>();
        foreach (T item in items)
        {
            list.Add(item);
        }

        return list;
    }
}
