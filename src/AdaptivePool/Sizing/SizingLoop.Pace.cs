namespace AdaptivePool.Sizing;

/// <remarks>Which classes a look is at, and when the next one is.</remarks>
internal sealed partial class SizingLoop
{
    private readonly List<ClassSizing> _lookedAt = [];
    private double _wideLookAt = double.NegativeInfinity;
    private double _lookCost;
    private bool _isHurried;

    /// <summary>
    /// Chooses the classes that this look is at: all where the last such look is long enough ago, and else those that wanted one sooner. One of hundreds that
    /// is being measured does not have all others looked at as often.
    /// </summary>
    private void ChooseClasses(double now)
    {
        bool isWide = now >= _wideLookAt - TickRule.Slack;
        _wideLookAt = isWide ? now + TickRule.Longest.TotalSeconds : _wideLookAt;
        _lookedAt.Clear();
        foreach (ClassSizing sizing in _sizings)
        {
            if (sizing.Begin(isWide, now))
            {
                _lookedAt.Add(sizing);
            }
        }
    }

    /// <param name="untilLook">How long until a class wants a look of its own, in seconds; infinite for none.</param>
    /// <param name="now">Time in seconds.</param>
    private void SetNextLook(double untilLook, double now)
    {
        _isHurried = double.IsFinite(untilLook);
        _nextLook = TimeSpan.FromSeconds(Math.Max(Math.Min(untilLook, _wideLookAt - now), TickRule.Shortest.TotalSeconds));
    }

    private void LookAtAllNext() => _wideLookAt = double.NegativeInfinity;
}
