namespace AdaptivePool.Control;

/// <summary>
/// What the wave has found out so far: elasticity by size, in narrow bins of ln(size). An observation of a step counts in every bin it spans, so estimates of
/// overlapping steps share it and estimates elsewhere are not touched: a local slope, never one parabola over a kink. Old observations fade.
/// </summary>
internal sealed class StepEvidence
{
    private const double BinWidth = 0.025;
    private const int Bins = 420;
    private readonly double[] _weight = new double[Bins];
    private readonly double[] _weighted = new double[Bins];
    private readonly double _memory;
    private readonly double _priorWeight;
    private double _scale = 1;

    /// <summary>Creates an empty store.</summary>
    /// <param name="memory">Share of its weight that an observation keeps when the next one is added; over 0, at most 1.</param>
    /// <param name="priorDeviation">Standard deviation of the elasticity that is assumed before anything is known; over 0.</param>
    public StepEvidence(double memory, double priorDeviation)
    {
        _memory = memory;
        _priorWeight = 1 / (priorDeviation * priorDeviation);
    }

    /// <summary>Adds one observation.</summary>
    /// <param name="low">Lower size, in threads.</param>
    /// <param name="high">Higher size, in threads; more than <paramref name="low"/>.</param>
    /// <param name="gain">Observed change of ln(throughput) from low to high.</param>
    /// <param name="variance">Variance of that observation; over 0.</param>
    public void Add(int low, int high, double gain, double variance)
    {
        double logRatio = Math.Log((double)high / low);
        double elasticity = gain / logRatio;
        double weight = logRatio * logRatio / variance;
        _scale /= _memory;
        if (_scale > 1e9)
        {
            Fade(1 / _scale);
            _scale = 1;
        }

        (int from, int to) = Span(low, high);
        double share = weight * _scale / (to - from + 1);
        for (int i = from; i <= to; i++)
        {
            _weight[i] += share;
            _weighted[i] += share * elasticity;
        }
    }

    /// <summary>Estimates one step.</summary>
    /// <param name="low">Lower size, in threads.</param>
    /// <param name="high">Higher size, in threads; more than <paramref name="low"/>.</param>
    /// <param name="priorElasticity">Elasticity expected before this step was probed.</param>
    public StepEstimate Estimate(int low, int high, double priorElasticity = 0)
    {
        double logRatio = Math.Log((double)high / low);
        (int from, int to) = Span(low, high);
        double weight = 0;
        double weighted = 0;
        for (int i = from; i <= to; i++)
        {
            weight += _weight[i];
            weighted += _weighted[i];
        }

        weight /= _scale;
        weighted /= _scale;
        double total = weight + _priorWeight;
        return new((weighted + (_priorWeight * priorElasticity)) / total * logRatio, logRatio / Math.Sqrt(total), weight);
    }

    /// <summary>Takes weight from everything known.</summary>
    /// <param name="share">Share of the weight that remains, 0 to 1; zero forgets all.</param>
    public void Fade(double share)
    {
        for (int i = 0; i < Bins; i++)
        {
            _weight[i] *= share;
            _weighted[i] *= share;
        }
    }

    private static (int From, int To) Span(int low, int high)
    {
        // Half-open on the upper side, so that two steps that meet at a size share no bin.
        int from = Math.Clamp((int)Math.Round(Math.Log(low) / BinWidth), 0, Bins - 1);
        int to = Math.Clamp((int)Math.Round(Math.Log(high) / BinWidth) - 1, from, Bins - 1);
        return (from, to);
    }
}
