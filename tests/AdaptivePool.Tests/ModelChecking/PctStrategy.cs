namespace AdaptivePool.Tests.ModelChecking;

/// <summary>
/// Probabilistic concurrency testing (Burckhardt and others, 2010): threads have random priorities, the highest goes on, and at a few random steps the running
/// one becomes the lowest. Finds a bug that takes d ordered events with a probability of at least 1 / (threads * steps^(d - 1)) in each run.
/// </summary>
/// <param name="seed">Seed.</param>
/// <param name="runs">Number of runs.</param>
/// <param name="depth">Ordered events that are looked for; one less is the number of changes of priority.</param>
/// <param name="steps">About how many choices a run has.</param>
internal sealed class PctStrategy(int seed, int runs, int depth = 3, int steps = 60) : IStrategy
{
    private readonly HashSet<int> _changes = [];
    private readonly int[] _priorities = new int[16];
    private Random _random = new(seed);
    private int _run;
    private int _choice;

    public bool IsCoarse => false;

    public void Begin(Execution run)
    {
        _random = new Random(unchecked((seed * 1_000_003) + _run));
        _choice = 0;
        _changes.Clear();
        for (int i = 1; i < depth; i++)
        {
            _changes.Add(_random.Next(1, steps));
        }

        for (int i = 0; i < _priorities.Length; i++)
        {
            _priorities[i] = depth + _random.Next(1_000);
        }
    }

    public int ChooseThread(ReadOnlySpan<int> candidates, bool isPreemption)
    {
        _choice++;
        if (_changes.Contains(_choice))
        {
            _priorities[candidates[0]] = -_choice;
        }

        int best = 0;
        for (int i = 1; i < candidates.Length; i++)
        {
            best = _priorities[candidates[i]] > _priorities[candidates[best]] ? i : best;
        }

        return best;
    }

    public int ChooseAge(int options) => _random.Next(4) != 0 ? 0 : _random.Next(options);

    public bool End(bool isVoid)
    {
        _run += isVoid ? 0 : 1;
        return _run < runs;
    }
}
