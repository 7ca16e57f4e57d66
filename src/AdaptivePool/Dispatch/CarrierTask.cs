namespace AdaptivePool.Dispatch;

/// <summary>A task that runs at once on the thread that starts it, so that the code inside finds TaskScheduler.Current. No scheduler queues it.</summary>
internal sealed class CarrierTask(Action<object?> action, object state) : Task(action, state, TaskCreationOptions.DenyChildAttach);
