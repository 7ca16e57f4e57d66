namespace AdaptivePool.Sizing;

/// <summary>
/// A class whose workers burn CPU never grows past cores + 1, whatever else speaks. Growth stops at the first reading; a verified limit above is taken away
/// only after <see cref="ClassSizeSettings.HogPatience"/>, because a garbage collection or a burst of compiling reads the same for a moment.
/// </summary>
internal sealed class HogRule(ClassSizeSettings settings)
{
    private TimeSpan? _since;

    /// <summary>The class reads as a hog: no growth past cores + 1.</summary>
    public bool Active => _since is not null;

    /// <summary>It has done so for long enough to take a verified limit away.</summary>
    public bool Lasting { get; private set; }

    /// <summary>Takes one reading; an unknown share changes nothing.</summary>
    public void Observe(in ClassObservation c)
    {
        if (double.IsNaN(c.BlockedShare) || c.Active == 0)
        {
            return;
        }

        if (c.BlockedShare > settings.HogEndShare)
        {
            _since = null;
        }
        else if (c.BlockedShare < settings.HogShare)
        {
            _since ??= c.Now;
        }

        Lasting = _since is { } since && c.Now - since >= settings.HogPatience;
    }

    /// <summary>Forgets everything.</summary>
    public void Reset()
    {
        _since = null;
        Lasting = false;
    }
}
