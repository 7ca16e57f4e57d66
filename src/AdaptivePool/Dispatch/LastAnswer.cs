namespace AdaptivePool.Dispatch;

/// <summary>
/// An answer about the type of each item. It is found anew only when the type changes: most items of a worker have the type of the item before. Changes in
/// place; belongs to one thread.
/// </summary>
/// <param name="ask">Answers for a type, always the same.</param>
/// <param name="otherwise">The answer where there is no memory to find it: the item has been taken, and must run.</param>
internal struct LastAnswer(Func<Type, bool> ask, bool otherwise = false)
{
    private Type? _type;
    private bool _answer;

    /// <summary>Whether there is anything to ask. False for the default value, which the static of a thread has at first.</summary>
    public readonly bool IsMade => ask is not null;

    /// <summary>The answer for the type of something.</summary>
    [BypassReadyToRun]
    public bool For(object item)
    {
        Type type = item.GetType();
        if (!ReferenceEquals(type, _type))
        {
            try
            {
                _answer = ask(type);
            }
            catch (OutOfMemoryException)
            {
                _type = null;
                return otherwise;
            }

            // Otherwise the thread would keep a type that can be unloaded, for as long as it runs nothing else.
            _type = type.IsCollectible ? null : type;
        }

        return _answer;
    }
}
