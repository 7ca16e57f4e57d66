namespace AdaptivePool.Tests.Contracts.Parity;

/// <summary><c>Task.Run</c>, or <c>Run</c> of a class in its place.</summary>
internal sealed class RunRoute(string name, WorkClass? target)
    : ParityRoute(name, target?.Factory ?? new TaskFactory(TaskScheduler.Default), TaskScheduler.Default, target?.Pool)
{
    public override Task Run(Action action, CancellationToken token = default) => target?.Run(action, WorkPriority.Normal, token) ?? Task.Run(action, token);

    public override Task<T> Run<T>(Func<T> function, CancellationToken token = default) => target?.Run(function, WorkPriority.Normal, token)
        ?? Task.Run(function, token);

    public override Task Run(Func<Task> function, CancellationToken token = default) => target?.Run(function, WorkPriority.Normal, token)
        ?? Task.Run(function, token);

    public override Task<T> Run<T>(Func<Task<T>> function, CancellationToken token = default) => target?.Run(function, WorkPriority.Normal, token)
        ?? Task.Run(function, token);
}
