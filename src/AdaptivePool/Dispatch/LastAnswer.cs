namespace AdaptivePool.Dispatch;

/// <summary>
/// What is asked of the type of each item, and answered anew only when the type changes: most items of a worker are of the type of the one before. Changes in
/// place; one thread's own.
/// </summary>
/// <param name="ask">Answers for a type, always the same.</param>
/// <param name="otherwise">The answer where there is no memory to find it: the item that it is asked of has been taken, and must run.</param>
internal struct LastAnswer(Func<Type, bool> ask, bool otherwise = false)
{
    private Type? _type;
    private bool _answer;

    /// <summary>Whether there is anything to ask; not in what is zero by default, as the static of a thread is at first.</summary>
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

            // The thread would keep what can be unloaded for as long as it runs nothing else.
            _type = type.IsCollectible ? null : type;
        }

        return _answer;
    }
}
