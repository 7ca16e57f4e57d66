namespace AdaptivePool.Control;

/// <summary>
/// Grow only on proof, shrink on equivalence. The loss of a smaller size is counted from the best size known up to two steps above, so that many small "equal" steps
/// cannot add up to a large loss.
/// </summary>
internal static class StepRule
{
    // This share of the slope that is sure below the present size is expected above it: a rising curve goes on rising somewhat, and the rest has to be measured.
    private const double SlopeCarriedOver = 0.7;

    private const double FlatCaution = 0.5;
    private const double SteepSlope = 0.5;

    // Giving up a smaller size too early costs threads; giving up a larger one too early costs throughput, so that has to be surer.
    private const double ShrinkCertainty = 0.7;

    // A curve that rises up to here is asked longer whether it rises on.
    private const double PatienceBySlope = 3;

    /// <summary>Decides the next move.</summary>
    /// <param name="down">The wave below the present size.</param>
    /// <param name="up">The wave above it.</param>
    /// <param name="evidence">What was found out so far.</param>
    /// <param name="upPatience">Upward periods granted on a flat curve before a pause; a curve that rises below gets more.</param>
    /// <param name="upPeriods">Upward periods since the size last changed.</param>
    /// <param name="probes">Number of the probe that would come next; decides when the other side has its turn.</param>
    /// <param name="options">The options.</param>
    public static StepVerdict Decide(in WaveShape down, in WaveShape up, StepEvidence evidence, double upPatience, int upPeriods, long probes, HillClimbingOptions options)
    {
        Margins margins = Margins.Of(down, up, evidence, options);
        bool shrink = margins.Below.Weight > 0 && margins.Down > options.DownConfidence * margins.Below.Deviation;
        bool grow = margins.Above.Weight > 0 && margins.Up > options.UpConfidence * Caution(margins.Above, up) * margins.Above.Deviation;
        if (shrink && grow)
        {
            // A dip: go where more is to be had.
            return margins.Above.Gain > -margins.Below.Gain ? StepVerdict.Up : StepVerdict.Down;
        }

        if (shrink || grow)
        {
            return shrink ? StepVerdict.Down : StepVerdict.Up;
        }

        bool downOpen = !down.IsFlat && margins.Down > -ShrinkCertainty * options.SettledConfidence * margins.Below.Deviation;
        bool upOpen = !up.IsFlat
            && margins.Up > -options.SettledConfidence * margins.Above.Deviation;
        bool isUpPromising = upPeriods < upPatience * (1 + (PatienceBySlope * margins.SureSlope)) || margins.Up > 0;
        bool otherSide = probes % options.OtherSideEvery == options.OtherSideEvery - 1;
        if (downOpen)
        {
            return otherSide && !up.IsFlat ? StepVerdict.ProbeUp : StepVerdict.ProbeDown;
        }

        if (upOpen)
        {
            if (!isUpPromising)
            {
                return StepVerdict.Pause;
            }

            return otherSide && !down.IsFlat ? StepVerdict.ProbeDown : StepVerdict.ProbeUp;
        }

        return StepVerdict.Stay;
    }

    /// <summary>The side to probe after a rest: the one whose decision is least certain, now and then the other.</summary>
    /// <param name="down">The wave below the present size.</param>
    /// <param name="up">The wave above it.</param>
    /// <param name="evidence">What was found out so far.</param>
    /// <param name="probes">Number of the probe that comes next.</param>
    /// <param name="options">The options.</param>
    public static WaveSide SideAfterRest(in WaveShape down, in WaveShape up, StepEvidence evidence, long probes, HillClimbingOptions options)
    {
        if (down.IsFlat || up.IsFlat)
        {
            return down.IsFlat ? WaveSide.Up : WaveSide.Down;
        }

        Margins margins = Margins.Of(down, up, evidence, options);
        bool isDown = Math.Abs(margins.Down) / margins.Below.Deviation <= Math.Abs(margins.Up) / margins.Above.Deviation;
        bool otherSide = probes % options.OtherSideEvery == options.OtherSideEvery - 1;
        return isDown != otherSide ? WaveSide.Down : WaveSide.Up;
    }

    // On a flat curve the question is asked again and again, and chance answers yes in the end: a small gain has to be surer than a steep one.
    private static double Caution(in StepEstimate above, in WaveShape up)
        => 1 + (FlatCaution * Math.Clamp(1 - (above.Gain / (SteepSlope * up.LogRatio)), 0, 1));

    private readonly record struct Margins(StepEstimate Below, StepEstimate Above, double Down, double Up, double SureSlope)
    {
        public static Margins Of(in WaveShape down, in WaveShape up, StepEvidence evidence, HillClimbingOptions options)
        {
            StepEstimate below = down.IsFlat ? default : evidence.Estimate(down.Low, down.High);
            double slope = below.Weight > 0 ? Math.Clamp((below.Gain - below.Deviation) / down.LogRatio, 0, 1) : 0;
            StepEstimate above = up.IsFlat ? default : evidence.Estimate(up.Low, up.High, SlopeCarriedOver * slope);
            double missed = 0;
            if (above.Weight > 0)
            {
                missed = Math.Max(0, above.Gain);
                int twoAbove = WaveShape.Relative(up.High, WaveSide.Up, options.WaveRatio, options.WavePeriod, 1, int.MaxValue).High;
                StepEstimate higher = evidence.Estimate(up.High, twoAbove);
                if (higher.Weight > 0)
                {
                    missed = Math.Max(missed, above.Gain + higher.Gain);
                }
            }

            return new(below, above, options.MaxLoss - missed - below.Gain, above.Gain - options.MinGain, slope);
        }
    }
}
