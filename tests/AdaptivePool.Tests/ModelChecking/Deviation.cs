namespace AdaptivePool.Tests.ModelChecking;

/// <summary>A choice other than the default: at a step, another thread goes on, or an older write is seen.</summary>
internal readonly record struct Deviation(int Step, bool IsSwitch, int Value)
{
    public override string ToString() => $"{Step}{(IsSwitch ? '>' : '<')}{Value}";
}
