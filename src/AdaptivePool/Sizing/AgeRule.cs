namespace AdaptivePool.Sizing;

/// <summary>Decides when the weight of old items is halved. A class whose work has changed is known by its new work after some minutes.</summary>
internal sealed class AgeRule
{
    /// <summary>Seconds between two halvings.</summary>
    public const double HalfLifeSeconds = 60;

    private double _halvedAt;

    /// <summary>Returns whether the weight is halved now. It is halved again no earlier than one half-life later.</summary>
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
