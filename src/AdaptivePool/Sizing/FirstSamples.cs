using AdaptivePool.Control;

namespace AdaptivePool.Sizing;

/// <summary>
/// The first samples of a kept size, compared with the rate that the size was kept for. The work has changed where samples in a row stray from it: three that
/// bring a quarter of it or four times as much, or a dozen that bring half or twice as much. The distances are added up in powers of two. From the 36th sample
/// on the controller knows the level and its scatter, and can tell a bad moment from other work. Before that it cannot, and takes the other work for the usual
/// one.
/// </summary>
/// <param name="Count">Number of samples, up to the one from which the controller knows the level.</param>
/// <param name="Strays">How far the last samples have strayed, in powers of two; below 0 where they bring less.</param>
/// <param name="Completions">Completions of the samples that are shorter than the long items, added up.</param>
/// <param name="Seconds">Length of these.</param>
internal readonly record struct FirstSamples(int Count, double Strays, long Completions, double Seconds)
{
    private const double StrayReference = 0.75;
    private const double MostStray = OtherWork - StrayReference;
    private const double StrayLimit = 2.25 * MostStray;
    private const int LevelSamples = 36;

    /// <summary>Work that brings less than a quarter of the rate, in powers of two, is another one.</summary>
    public const double OtherWork = 2;

    /// <summary>The samples say that the work is another one.</summary>
    public bool AreOtherWork => Math.Abs(Strays) >= StrayLimit;

    /// <summary>Adds a sample that says nothing about the kept rate.</summary>
    public FirstSamples Skip() => new(Math.Min(Count + 1, LevelSamples), Strays: 0, Completions: 0, Seconds: 0);

    /// <summary>Adds a sample of the kept size. Long items that began together end together: a sample that is shorter than these has a rate only together with
    /// those that follow.</summary>
    /// <param name="sample">The sample.</param>
    /// <param name="keptRate">The rate that the size was kept for.</param>
    /// <param name="longServiceSeconds">How long the long items take.</param>
    /// <param name="shortPass">Short items have just passed the long ones. A server that pauses answers nobody: one sample is enough.</param>
    public FirstSamples With(in PoolSample sample, double keptRate, double longServiceSeconds, bool shortPass)
    {
        if (Count >= LevelSamples)
        {
            return Skip();
        }

        long completions = Completions + sample.Completions;
        double seconds = Seconds + sample.Elapsed.TotalSeconds;
        if (ClassSizeSettings.IsLong(longServiceSeconds) && seconds < Math.Min(longServiceSeconds, ClassSizeSettings.Patience.TotalSeconds))
        {
            return this with { Completions = completions, Seconds = seconds };
        }

        double doublings = Math.Log2(completions / seconds / keptRate);
        if (shortPass && doublings < -OtherWork)
        {
            return Skip() with { Strays = -StrayLimit };
        }

        double stray = Math.Min(Math.Abs(doublings) - StrayReference, MostStray);
        double strays = stray > 0 ? (Strays * doublings > 0 ? Strays : 0) + Math.CopySign(stray, doublings) : 0;
        return Skip() with { Strays = strays };
    }
}
