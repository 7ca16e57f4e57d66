namespace AdaptivePool.Tests.Contracts.Parity;

/// <summary><c>StartNew</c> of a factory.</summary>
internal sealed class FactoryRoute(string name, TaskFactory factory, AdaptiveThreadPool? pool) : ParityRoute(name, factory, factory.Scheduler!, pool)
{
    public override Task Run(Action action, CancellationToken token = default) => Factory.StartNew(action, token);

    public override Task<T> Run<T>(Func<T> function, CancellationToken token = default) => Factory.StartNew(function, token);

    public override Task Run(Func<Task> function, CancellationToken token = default) => Factory.StartNew(function, token).Unwrap();

    public override Task<T> Run<T>(Func<Task<T>> function, CancellationToken token = default) => Factory.StartNew(function, token).Unwrap();
}
