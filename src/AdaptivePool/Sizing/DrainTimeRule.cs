namespace AdaptivePool.Sizing;

/// <summary>Whether a pool that closes has waited for its work for as long as it may.</summary>
/// <param name="longestSeconds">How long; infinity for as long as it takes.</param>
internal sealed class DrainTimeRule(double longestSeconds)
{
    private double _since = double.NaN;

    /// <summary>The time runs from the first look.</summary>
    /// <param name="now">Seconds, on any clock that does not go back.</param>
    public bool IsOver(double now)
    {
        if (double.IsNaN(_since))
        {
            _since = now;
        }

        return now - _since >= longestSeconds;
    }
}
