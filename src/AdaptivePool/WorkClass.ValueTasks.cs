namespace AdaptivePool;

/// <remarks>
/// Asynchronous functions whose result is a <see cref="ValueTask"/>. An asynchronous lambda is taken for one that returns a <see cref="Task"/>.
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
}
