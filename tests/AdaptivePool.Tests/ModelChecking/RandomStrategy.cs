namespace AdaptivePool.Tests.ModelChecking;

/// <summary>A random walk: one choice in a few deviates from the default.</summary>
/// <param name="seed">Seed.</param>
/// <param name="runs">Number of runs.</param>
/// <param name="deviateOneIn">Of how many choices one deviates.</param>
/// <param name="isSequential">See <see cref="IStrategy.IsSequential"/>.</param>
internal sealed class RandomStrategy(int seed, int runs, int deviateOneIn = 4, bool isSequential = false) : IStrategy
{
    private int _run;
    private Random _random = new(seed);

    public bool IsCoarse => false;

    public bool IsSequential => isSequential;

    // A seed per run: a void run is repeated as it was.
    public void Begin(Execution run) => _random = new Random(unchecked((seed * 1_000_003) + _run));

    public int ChooseThread(ReadOnlySpan<int> candidates, bool isPreemption) =>
        isPreemption && _random.Next(deviateOneIn) != 0 ? 0 : _random.Next(candidates.Length);

    public int ChooseAge(int options) => isSequential || _random.Next(deviateOneIn) != 0 ? 0 : _random.Next(options);

    public bool End(bool isVoid)
    {
        _run += isVoid ? 0 : 1;
        return _run < runs;
    }
}
