namespace AdaptivePool.Dispatch;

/// <summary>
/// How long the oldest item of a deque has been that, as far as the looks of its owner tell, which come now and then: what two looks find has been there
/// all the time between.
/// </summary>
internal struct OldestWait
{
    private long? _oldest;
    private double _since;

    /// <summary>Takes one look.</summary>
    /// <param name="oldest">Number of the oldest item; <see langword="null"/> for none.</param>
    /// <param name="now">Time in seconds.</param>
    /// <returns>Whether it has been the oldest for <see cref="TurnRule.OldestAfterSeconds"/>.</returns>
    public bool IsLong(long? oldest, double now)
    {
        if (oldest != _oldest)
        {
            (_oldest, _since) = (oldest, now);
            return false;
        }

        return oldest is not null && now - _since >= TurnRule.OldestAfterSeconds;
    }
}
