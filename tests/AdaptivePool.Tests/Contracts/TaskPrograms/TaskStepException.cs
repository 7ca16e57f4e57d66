namespace AdaptivePool.Tests.Contracts.TaskPrograms;

/// <summary>What a step throws.</summary>
internal sealed class TaskStepException(int number) : Exception($"step {number}");
