using Xunit;

namespace AdaptivePool.Hosting.Tests.Logging;

/// <summary>Tests that hold up the runtime's pool or set its minimum, which there is once in a process: nothing else may run beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class WholeProcessCollection
{
    public const string Name = "whole process";
}
