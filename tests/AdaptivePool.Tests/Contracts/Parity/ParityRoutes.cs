namespace AdaptivePool.Tests.Contracts.Parity;

/// <summary>The routes of all cases, on one pool: disposed at the end, without a rescue and without an exception that nobody saw.</summary>
public sealed class ParityRoutes : PoolTest, IDisposable
{
    /// <summary>Threads that the runtime's pool starts without delay: cases block, and it adds one thread in half a second.</summary>
    private const int RuntimeThreads = 64;

    private readonly AdaptiveThreadPool _pool;
    private readonly int _workers;
    private readonly int _ports;

    public ParityRoutes()
    {
        ThreadPool.GetMinThreads(out _workers, out _ports);
        ThreadPool.SetMinThreads(Math.Max(_workers, RuntimeThreads), _ports);
        _pool = CreatePool(new AdaptivePoolOptions { Name = "parity" });
        WorkClass partner = _pool.GetClass("partner");
        Compared =
        [
            (new RunRoute("Task.Run", null), [new RunRoute("Run", _pool.DefaultClass), new RunRoute("Run of a class", partner)]),
            (new FactoryRoute("the runtime's factory", new TaskFactory(TaskScheduler.Default), null),
                [new FactoryRoute("Factory", _pool.Factory, _pool), new FactoryRoute("Factory of a class", partner.Factory, _pool)]),
        ];
    }

    /// <summary>Each way of the runtime's, with ours that take its place.</summary>
    internal IReadOnlyList<(ParityRoute Control, ParityRoute[] Ours)> Compared { get; }

    void IDisposable.Dispose()
    {
        ThreadPool.SetMinThreads(_workers, _ports);
        long faulted = _pool.GetSnapshot().Faulted;
        Dispose();
        faulted.ShouldBe(0);
    }
}
