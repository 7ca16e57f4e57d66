using System.Globalization;

namespace AdaptivePool.Control;

/// <content>What is allowed.</content>
public sealed partial record SeedWaveOptions
{
    private const int LargestSize = 32767;
    private const int MostPlateauPoints = 8;

    /// <summary>
    /// Checks every option against its range. Whether the <see cref="PlateauPoints"/> can be solved shows when a controller is created with them.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range; the message names the option, its value and the range.</exception>
    public void Validate()
    {
        OptionRange.Check(nameof(WavePeriod), WavePeriod, 4, 64);
        if (WavePeriod % 4 != 0)
        {
            throw OptionRange.Outside(nameof(WavePeriod), WavePeriod, "a multiple of 4 from 4 to 64");
        }

        OptionRange.Check(nameof(SamplesToWavePeriodRatio), SamplesToWavePeriodRatio, 2, 64);
        OptionRange.Check(nameof(SamplePeriod), SamplePeriod);
        OptionRange.Check(nameof(MinAcceptedThroughput), MinAcceptedThroughput, 0, 1e9);
        OptionRange.Check(nameof(BracketWidth), BracketWidth, 1, LargestSize);
        OptionRange.Check(nameof(ValuableDifference), ValuableDifference, 0.01, 10);
        OptionRange.Check(nameof(ValuableProgress), ValuableProgress, 0.001, 100);
        OptionRange.Check(nameof(MinWaveMagnitude), MinWaveMagnitude, 1, LargestSize);
        OptionRange.Check(nameof(MaxWaveMagnitude), MaxWaveMagnitude, 1, LargestSize);
        OptionRange.CheckOrder(nameof(MaxWaveMagnitude), MaxWaveMagnitude, nameof(MinWaveMagnitude), MinWaveMagnitude);
        OptionRange.Check(nameof(MagnitudeGrowth), MagnitudeGrowth, 1.01, 16);
        OptionRange.Check(nameof(MagnitudePatience), MagnitudePatience, 1, 100000);
        OptionRange.Check(nameof(MaxThreadsAboveConnections), MaxThreadsAboveConnections, 0, LargestSize);
        OptionRange.Check(nameof(MinConnectionsPerThread), MinConnectionsPerThread, 0, 100);
        OptionRange.Check(nameof(PlateauDrop), PlateauDrop, 0.001, 1);
        OptionRange.Check(nameof(PlateauSamples), PlateauSamples, 1, 1000);
        OptionRange.Check(nameof(FirstEvaluationSamples), FirstEvaluationSamples, 4, 4096);
        OptionRange.CheckOrder(nameof(FirstEvaluationSamples), FirstEvaluationSamples, nameof(WavePeriod), WavePeriod);
        if (FirstEvaluationSamples > WavePeriod * SamplesToWavePeriodRatio)
        {
            string history = string.Create(CultureInfo.InvariantCulture,
                $"{WavePeriod * SamplesToWavePeriodRatio}, the {nameof(WavePeriod)} times the {nameof(SamplesToWavePeriodRatio)}, or less");
            throw OptionRange.Outside(nameof(FirstEvaluationSamples), FirstEvaluationSamples, history);
        }

        OptionRange.Check(nameof(FirstDownScale), FirstDownScale ?? 1, 0.1, 100000);
        OptionRange.Check(nameof(MaxDownRatio), MaxDownRatio, 1.01, 1000);
        OptionRange.Check(nameof(SamplesOutOfBand), SamplesOutOfBand, 1, 1000);
        OptionRange.Check(nameof(SteepDecline), SteepDecline, 0.01, 1);
        OptionRange.Check(nameof(MissesInARow), MissesInARow, 1, 100);
        OptionRange.Check(nameof(KnownPoints), KnownPoints, 2, 10000);
        ValidatePlateauPoints();
    }

    private void ValidatePlateauPoints()
    {
        if (PlateauPoints is null || PlateauPoints.Count < 2 || PlateauPoints.Count > MostPlateauPoints || PlateauPoints.Count % 2 != 0)
        {
            string count = PlateauPoints is null ? "null" : string.Create(CultureInfo.InvariantCulture, $"{PlateauPoints.Count} points");
            throw OptionRange.Outside(nameof(PlateauPoints), count, "2, 4, 6 or 8 points");
        }

        double previous = 0;
        foreach (PlateauPoint point in PlateauPoints)
        {
            bool isInOrder = point.Size >= 2 && point.Size > previous && point.Size <= LargestSize;
            if (!isInOrder || !(point.NextSize >= 1 && point.NextSize < point.Size))
            {
                throw OptionRange.Outside(nameof(PlateauPoints), point,
                    "points of 2 to 32767 threads in rising order, each with a smaller size of 1 or more after it");
            }

            previous = point.Size;
        }
    }
}
