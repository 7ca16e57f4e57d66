using AdaptivePool.Control;

namespace AdaptivePool.Sizing;

/// <summary>Chooses the next size of the ramp and judges a measured gain (rules 10f and 10g of the sizing notes, section 6 of the design).</summary>
internal static class StepRule
{
    // A step of less is inside the noise of its own measurement.
    private const double SmallestStep = 1.1;

    /// <summary>The next size to try from a verified one.</summary>
    /// <param name="c">The class.</param>
    /// <param name="m">The machine.</param>
    /// <param name="verified">The verified size.</param>
    /// <param name="service">Mean service time at the verified size, in seconds.</param>
    /// <param name="mayGrow">False while the class reads as a hog.</param>
    /// <param name="settings">Constants.</param>
    public static StepChoice Next(in ClassObservation c, in MachineObservation m, int verified, double service, bool mayGrow, ClassSizeSettings settings)
    {
        int bound = mayGrow ? settings.MaxLimit : Math.Min(settings.MaxLimit, settings.HogLimit);
        int demand = UsedSizeRule.DemandCap(c);
        if (bound <= verified || demand <= verified)
        {
            return new(0, DecisionReason.Hold, bound <= verified ? RampStop.Bound : RampStop.Demand);
        }

        double small = Small(c, m, verified, settings);
        bool waits = settings.Waits(c, service);
        double model = Model(c, m, verified, settings);
        bool useModel = model >= SmallestStep * verified && model > small && (waits || verified >= settings.SmallSize);
        double wanted = useModel ? Math.Min(model, settings.MaxStep * verified) : small;
        if (wanted <= verified && waits && c.Queued * 2L > verified)
        {
            wanted = 2d * verified;
        }

        // Rounding up: 1 x 1.39 must not be 1 again.
        int next = (int)Math.Min(Math.Min(bound, demand), Math.Ceiling(wanted));
        if (next <= verified)
        {
            return new(0, DecisionReason.Hold, RampStop.CpuFull);
        }

        return new(next, useModel && model < settings.MaxStep * verified ? DecisionReason.ModelJump : DecisionReason.Ramp, RampStop.None);
    }

    /// <summary>Whether a measured gain keeps a step.</summary>
    /// <param name="gain">Natural logarithm of the ratio of the rates.</param>
    /// <param name="from">The verified size.</param>
    /// <param name="to">The size on trial, or the part of it that was used.</param>
    /// <param name="settings">Constants.</param>
    public static bool Keeps(double gain, int from, double to, ClassSizeSettings settings)
    {
        double promised = Math.Log(Math.Max(1, to / from));
        return gain >= (to <= settings.SmallSize ? Math.Min(settings.SmallGain, promised) : settings.GainShare * promised);
    }

    // Without a sampled blocked share a full CPU may be the class's own doing: then not past the limit of hogs (rule R6).
    private static double Small(in ClassObservation c, in MachineObservation m, int verified, ClassSizeSettings settings)
    {
        int most = double.IsNaN(c.BlockedShare) && m.IdleShare < settings.IdleFloor ? Math.Min(settings.HogLimit, settings.SmallSize) : settings.SmallSize;
        return Math.Max(verified, Math.Min(2d * verified, most));
    }

    private static double Model(in ClassObservation c, in MachineObservation m, int verified, ClassSizeSettings settings)
    {
        double u = m.UtilisationOf(c);
        return m.IdleShare >= settings.IdleFloor ? verified / Math.Max(u, 1e-6) : 0;
    }
}
