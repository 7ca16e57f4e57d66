namespace AdaptivePool.Sizing;

/// <summary>When what old items weigh is halved: a class that does other work than it did is known by its new work after some minutes.</summary>
internal sealed class AgeRule
{
    /// <summary>Seconds between two halvings.</summary>
    public const double HalfLifeSeconds = 60;

    private double _halvedAt;

    /// <summary>Whether it is time, and then not again for as long.</summary>
    /// <param name="now">Seconds since the start.</param>
    public bool Halves(double now)
    {
        bool isTime = now - _halvedAt > HalfLifeSeconds;
        if (isTime)
        {
            _halvedAt = now;
        }

        return isTime;
    }
}
