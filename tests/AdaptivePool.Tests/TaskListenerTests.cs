using System.Diagnostics.Tracing;

namespace AdaptivePool.Tests;

/// <summary>Code that the runtime runs inside the start of a task: listeners of its events.</summary>
[Collection(RuntimePoolCollection.Name)]
public sealed class TaskListenerTests : PoolTest
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void RunFor_ListenerStartsATask_EachHasItsOwnTenant(bool ofATenant)
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass target = pool.GetClass("reports");
        List<Task> items = [];
        using (new WorkerGate(pool.Factory, 1))
        {
            using (new Listener(() => items.Add(ofATenant ? target.RunFor("inner", static () => { }) : target.Factory.StartNew(static () => { }))))
            {
                items.Add(target.RunFor("outer", static () => { }));
            }

            pool.GetSnapshot(10).QueuedItems.Select(static item => item.Tenant).ShouldBe([ofATenant ? "inner" : null, "outer"], ignoreOrder: true);
        }

        items.ForEach(static item => Eventually.End(item));
    }

    /// <summary>Calls back once when a task is started on the thread that has created it.</summary>
    private sealed class Listener : EventListener
    {
        private const int TaskScheduled = 7;
        private const long Tasks = 2;

        private readonly int _thread = Environment.CurrentManagedThreadId;
        private readonly EventSource _source;
        private Action? _onStart;

        public Listener(Action onStart)
        {
            _source = EventSource.GetSources().Single(static source => source.Name == "System.Threading.Tasks.TplEventSource");
            EnableEvents(_source, EventLevel.Informational, (EventKeywords)Tasks);
            _onStart = onStart;
        }

        public override void Dispose()
        {
            DisableEvents(_source);
            base.Dispose();
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (eventData.EventId == TaskScheduled && Environment.CurrentManagedThreadId == _thread)
            {
                Interlocked.Exchange(ref _onStart, null)?.Invoke();
            }
        }
    }
}
