namespace AdaptivePool.Dispatch;

/// <summary>A task that its starter runs at once on its own thread, so that what it runs finds TaskScheduler.Current. Schedulers queue it nowhere.</summary>
internal sealed class CarrierTask(Action<object?> action, object state) : Task(action, state, TaskCreationOptions.DenyChildAttach);
