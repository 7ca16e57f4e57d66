namespace AdaptivePool.Tests.ModelChecking;

/// <summary>All schedules within bounds, one after another; of schedules that meet in the same state only one is followed.</summary>
/// <param name="bounds">How far.</param>
/// <param name="merges">Whether states are compared; without it, every schedule is followed to its end.</param>
internal sealed class DepthFirstStrategy(Bounds bounds, bool merges = true) : IStrategy
{
    private readonly List<(int Chosen, int Options)> _path = [];
    private readonly Dictionary<(ulong State, int Ages), int> _visited = [];
    private readonly List<((ulong State, int Ages) Key, int Preemptions)> _met = [];
    private Execution _run = null!;
    private int _position;
    private int _replayed;
    private int _preemptions;
    private int _ages;
    private bool _isKnown;
    private bool _hasDiverged;

    /// <summary>Runs that were cut short because they met a state that had been explored.</summary>
    public int Cut { get; private set; }

    public bool IsCoarse => bounds.IsCoarse;

    public bool IsSequential => bounds.Ages == 0;

    public void Begin(Execution run)
    {
        _run = run;
        _position = 0;
        _replayed = _path.Count;
        _preemptions = bounds.Preemptions;
        _ages = bounds.Ages;
        _isKnown = false;
        _hasDiverged = false;
        _met.Clear();
    }

    public int ChooseThread(ReadOnlySpan<int> candidates, bool isPreemption)
    {
        if (_isKnown || (isPreemption && _preemptions == 0))
        {
            return 0;
        }

        if (merges && _position >= _replayed && IsKnown())
        {
            _isKnown = true;
            return 0;
        }

        int chosen = Next(candidates.Length);
        if (isPreemption && chosen != 0)
        {
            _preemptions--;
        }

        return chosen;
    }

    public int ChooseAge(int options)
    {
        if (_isKnown || _ages == 0)
        {
            return 0;
        }

        int chosen = Next(options);
        if (chosen != 0)
        {
            _ages--;
        }

        return chosen;
    }

    public bool End(bool isVoid)
    {
        if (isVoid)
        {
            _path.RemoveRange(_replayed, _path.Count - _replayed);
            return true;
        }

        if (_hasDiverged)
        {
            throw new InvalidOperationException("A run went another way than the one before it: the program does not depend on the schedule alone.");
        }

        foreach (((ulong, int) key, int preemptions) in _met)
        {
            _visited[key] = preemptions;
        }

        Cut += _isKnown ? 1 : 0;
        while (_path.Count > 0 && _path[^1].Chosen == _path[^1].Options - 1)
        {
            _path.RemoveAt(_path.Count - 1);
        }

        if (_path.Count == 0)
        {
            return false;
        }

        _path[^1] = (_path[^1].Chosen + 1, _path[^1].Options);
        return true;
    }

    private int Next(int options)
    {
        if (_position == _path.Count)
        {
            _path.Add((0, options));
        }

        // Fewer options than last time: a run that a garbage collection has made void, or a program that must not be.
        (int chosen, int before) = _path[_position++];
        _hasDiverged |= before != options;
        return chosen < options ? chosen : 0;
    }

    private bool IsKnown()
    {
        (ulong, int) key = (_run.State(), _ages);
        if (_visited.TryGetValue(key, out int preemptions) && preemptions >= _preemptions)
        {
            return true;
        }

        _met.Add((key, _preemptions));
        return false;
    }
}
