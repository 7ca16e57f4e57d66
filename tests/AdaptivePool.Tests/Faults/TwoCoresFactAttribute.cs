namespace AdaptivePool.Tests.Faults;

/// <summary>A test of what two threads do at the same moment; on one core it would be left to chance.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class TwoCoresFactAttribute : FactAttribute
{
    public TwoCoresFactAttribute()
    {
        if (Environment.ProcessorCount == 1)
        {
            Skip = "Needs two cores.";
        }
    }
}
