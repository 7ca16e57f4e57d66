namespace AdaptivePool.Tests.ModelChecking;

/// <summary>One given schedule. What does not fit (the program has changed, or the schedule was shortened) is left out.</summary>
internal sealed class ReplayStrategy(Schedule schedule, bool isSequential = false) : IStrategy
{
    private Execution _run = null!;

    public bool IsCoarse => false;

    public bool IsSequential => isSequential;

    public void Begin(Execution run) => _run = run;

    public int ChooseThread(ReadOnlySpan<int> candidates, bool isPreemption) =>
        Value(isSwitch: true) is { } thread ? Math.Max(0, candidates.IndexOf(thread)) : 0;

    public int ChooseAge(int options) => Value(isSwitch: false) is { } age && age < options ? age : 0;

    public bool End(bool isVoid) => isVoid;

    private int? Value(bool isSwitch)
    {
        int step = _run.CurrentStep;
        foreach (Deviation deviation in schedule.Deviations)
        {
            if (deviation.Step == step && deviation.IsSwitch == isSwitch)
            {
                return deviation.Value;
            }
        }

        return null;
    }
}
