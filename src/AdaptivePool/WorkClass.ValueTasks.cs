namespace AdaptivePool;

/// <remarks>
/// Asynchronous functions whose result is a <see cref="ValueTask"/>. An asynchronous lambda is taken for one that returns a <see cref="Task"/>, wherever it can
/// be one.
/// </remarks>
public sealed partial class WorkClass
{
    /// <summary>Runs an asynchronous function in this class; what follows its awaits runs on the pool too, as in-flight work.</summary>
    /// <inheritdoc cref="Run(Func{Task}, WorkPriority, CancellationToken)"/>
    public Task Run(Func<ValueTask> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Run(() => function().AsTask(), priority, cancellationToken);
    }

    /// <summary>Runs an asynchronous function in this class; what follows its awaits runs on the pool too, as in-flight work.</summary>
    /// <inheritdoc cref="Run{T}(Func{Task{T}}, WorkPriority, CancellationToken)"/>
    public Task<T> Run<T>(Func<ValueTask<T>> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Run(() => function().AsTask(), priority, cancellationToken);
    }

    /// <summary>Runs an asynchronous function for a tenant; see <see cref="RunFor(string, Func{Task}, CancellationToken)"/>.</summary>
    /// <inheritdoc cref="RunFor(string, Func{Task}, CancellationToken)"/>
    public Task RunFor(string tenant, Func<ValueTask> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return RunFor(tenant, () => function().AsTask(), cancellationToken);
    }

    /// <summary>Runs an asynchronous function for a tenant; see <see cref="RunFor(string, Func{Task}, CancellationToken)"/>.</summary>
    /// <inheritdoc cref="RunFor(string, Func{Task}, CancellationToken)"/>
    public Task<T> RunFor<T>(string tenant, Func<ValueTask<T>> function, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(tenant);
        ArgumentNullException.ThrowIfNull(function);
        return RunAt(RootPlace.Of(tenant), () => function().AsTask(), cancellationToken);
    }

    /// <summary>
    /// Runs an asynchronous function on the threads of its route's group; see <see cref="RunRouted(long, Func{Task}, CancellationToken)"/>.
    /// </summary>
    /// <inheritdoc cref="RunRouted(long, Func{Task}, CancellationToken)"/>
    public Task RunRouted(long route, Func<ValueTask> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return RunRouted(route, () => function().AsTask(), cancellationToken);
    }

    /// <summary>
    /// Runs an asynchronous function on the threads of its route's group; see <see cref="RunRouted(long, Func{Task}, CancellationToken)"/>.
    /// </summary>
    /// <inheritdoc cref="RunRouted(long, Func{Task}, CancellationToken)"/>
    public Task<T> RunRouted<T>(long route, Func<ValueTask<T>> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return RunAt(RootPlace.Of(route), () => function().AsTask(), cancellationToken);
    }
}
