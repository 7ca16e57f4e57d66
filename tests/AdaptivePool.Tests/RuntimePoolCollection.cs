namespace AdaptivePool.Tests;

/// <summary>Tests that read counters of the whole process, or stop it again and again, so nothing else may run beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class RuntimePoolCollection
{
    public const string Name = "whole process";
}
