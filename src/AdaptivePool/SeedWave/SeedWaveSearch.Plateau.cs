namespace AdaptivePool.SeedWave;

/// <content>The state Plateau: from right to left to the knee, in steps that become shorter.</content>
internal sealed partial class SeedWaveSearch
{
    private double _plateauBest;
    private double _plateauSum;
    private int _plateauSamples;
    private int _plateauFrom;

    private SizeDecision StartPlateau(double throughput)
    {
        State = ControllerState.Plateau;
        _plateauBest = 0;
        _plateauFrom = _base;
        StartPlateauSize();
        return Decide(throughput, _base, DecisionReason.Plateau);
    }

    private void StartPlateauSize()
    {
        _plateauSum = 0;
        _plateauSamples = 0;
    }

    private SizeDecision OnPlateauSample(in PoolSample sample, double throughput)
    {
        _plateauSum += throughput;
        _plateauSamples++;
        if (_plateauSamples < _options.PlateauSamples)
        {
            return Decide(throughput, _base, DecisionReason.Hold);
        }

        double level = _plateauSum / _plateauSamples;
        if (_map.Learn(_base, level))
        {
            return Decide(throughput, _base, BeginAgain(DecisionReason.WorkloadChange));
        }

        // The level is compared with the best level of this plateau, not with the last one: many small losses must not add up.
        return level < (1 - _options.PlateauDrop) * _plateauBest ? LeavePlateau(sample, throughput) : StepDown(sample, throughput, level);
    }

    private SizeDecision StepDown(in PoolSample sample, double throughput, double level)
    {
        _plateauBest = Math.Max(_plateauBest, level);
        _bracket.Fall(_base);
        if (_bracket.IsNarrow(_options.BracketWidth, _min, _max))
        {
            return Optimize(sample, throughput, _base);
        }

        _plateauFrom = _base;
        _base = _bracket.Place(_base, _step.Next(_base), _min, _max, forgetsPassedBound: false);
        StartPlateauSize();
        return Decide(throughput, _base, DecisionReason.Plateau);
    }

    private SizeDecision LeavePlateau(in PoolSample sample, double throughput)
    {
        _bracket.Rise(_base);
        if (_bracket.IsNarrow(_options.BracketWidth, _min, _max))
        {
            // The bounds may have come down since that size was left.
            return Optimize(sample, throughput, Math.Min(_plateauFrom, _max));
        }

        // The curve rises from here, so the wave will detect it.
        _magnitude = _options.MinWaveMagnitude;
        StartWave();
        return Decide(throughput, _base, DecisionReason.PlateauLeft);
    }
}
