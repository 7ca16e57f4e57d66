namespace AdaptivePool.Tests.Faults;

/// <summary>A theory that needs Linux; elsewhere it has nothing to test.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class LinuxTheoryAttribute : TheoryAttribute
{
    public LinuxTheoryAttribute()
    {
        if (!OperatingSystem.IsLinux())
        {
            Skip = "Needs Linux: its signals, or its affinity of threads to cores.";
        }
    }
}
