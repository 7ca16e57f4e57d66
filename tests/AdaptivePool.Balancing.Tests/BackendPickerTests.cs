namespace AdaptivePool.Balancing.Tests;

public sealed class BackendPickerTests
{
    /// <summary>A balancer forgets what it was told at a time that is still to come, because the clock was set back then.</summary>
    [Fact]
    public void Pick_ReportComesWhileTheClockIsRead_IsNotForgotten()
    {
        var clock = new InterruptedClock();
        using var picker = new BackendPicker(new CollaborativeBalancer(), clock);
        BackendState backend = new("one", picker.Now);
        clock.Meanwhile = new Thread(() => picker.Take(backend, "run=1; seq=1; op=5"));

        picker.Pick([backend]).IsChosen.ShouldBeTrue();

        clock.Ended.ShouldBeTrue();
        backend.Point.ShouldNotBeNull();
    }

    /// <summary>The first of a line asked the clock alone when its wait ends: beside a clock that a test never moves it waited for ever.</summary>
    [Fact]
    public async Task PickAsync_ClockStandsStill_WaitEnds()
    {
        using var picker = new BackendPicker(new Refusal(TimeSpan.FromMilliseconds(5)), new HandClock());
        BackendState[] backends = [new("one", picker.Now)];
        BalancerChoice choice = await picker.PickAsync(backends, TimeSpan.FromMilliseconds(20), mostWaiting: 1, default).AsTask()
            .WaitAsync(TimeSpan.FromSeconds(30));
        choice.IsChosen.ShouldBeFalse();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task PickAsync_Cancelled_HasTheTokenOfItsCaller(int waiting)
    {
        // That of another source was in the exception, which none of the caller's filters knows.
        using var picker = new BackendPicker(new Refusal(TimeSpan.FromHours(1)));
        using CancellationTokenSource others = new(), own = new();
        BackendState[] backends = [new("one", picker.Now)];
        Task[] before = [.. Enumerable.Range(1, waiting - 1).Select(_ => picker.PickAsync(backends, TimeSpan.FromHours(1), 10, others.Token).AsTask())];
        Task wait = picker.PickAsync(backends, TimeSpan.FromHours(1), 10, own.Token).AsTask();
        own.Cancel();
        (await Should.ThrowAsync<OperationCanceledException>(wait)).CancellationToken.ShouldBe(own.Token);
        others.Cancel();
        await Task.WhenAll(before).ContinueWith(static _ => { }, TaskScheduler.Default);
        picker.Waiting.ShouldBe(0);
    }

    /// <summary>A timer knows whole milliseconds only: the parts that were cut off were taken from the wait, nearly half of it here. Between two steps of a
    /// coarse clock the timers are all there is.</summary>
    [Theory]
    [InlineData(1, 20)]
    [InlineData(5, 18)]
    public async Task PickAsync_TimersEndEarly_WaitIsAsLongAsTheClockSays(int step, int passed)
    {
        var clock = new TimerClock(TimeSpan.FromMilliseconds(step));
        using var picker = new BackendPicker(new Refusal(TimeSpan.FromMilliseconds(1.9)), clock);
        BackendState[] backends = [new("one", picker.Now)];
        BalancerChoice choice = await picker.PickAsync(backends, TimeSpan.FromMilliseconds(20), mostWaiting: 1, default);
        choice.IsChosen.ShouldBeFalse();
        clock.Passed.ShouldBe(TimeSpan.FromMilliseconds(passed));
    }

    /// <summary>No header can say such a time: a request that was to be refused threw.</summary>
    [Fact]
    public void Pick_BalancerNeverWantsToBeAskedAgain_IsADay()
    {
        using var picker = new BackendPicker(new Refusal(TimeSpan.MaxValue));
        picker.Pick([new("one", picker.Now)]).RetryAfter.ShouldBe(TimeSpan.FromDays(1));
    }

    [Fact]
    public void Pick_BalancerChoosesWhatIsNotThere_IsToldByName()
    {
        using var picker = new BackendPicker(new Stranger());
        Should.Throw<InvalidOperationException>(() => picker.Pick([new("one", picker.Now)]))
            .Message.ShouldBe($"{typeof(Stranger)} chose backend 7 of 1, counted from 0.");
    }

    private sealed class Stranger : IBalancer
    {
        public BalancerChoice Choose(IReadOnlyList<BackendState> backends, TimeSpan now) => new(7, TimeSpan.Zero);
    }

    private sealed class Refusal(TimeSpan retryAfter) : IBalancer
    {
        public BalancerChoice Choose(IReadOnlyList<BackendState> backends, TimeSpan now) => BalancerChoice.None(retryAfter);
    }

    /// <summary>Goes on by what its timers are made for, which end at once.</summary>
    private sealed class TimerClock(TimeSpan step) : TimeProvider
    {
        public TimeSpan Passed { get; private set; }

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Passed.Ticks / step.Ticks * step.Ticks;

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            Passed += dueTime;
            callback(state);
            return new Timer(callback, state, Timeout.Infinite, Timeout.Infinite);
        }
    }

    /// <summary>Lets another thread come in between, at one reading, unless it has to wait for who reads.</summary>
    private sealed class InterruptedClock : TimeProvider
    {
        private Thread? _other;
        private long _ticks;

        public Thread? Meanwhile { get; set; }

        public bool Ended => _other!.Join(TimeSpan.FromSeconds(30));

        public override long GetTimestamp()
        {
            long now = Interlocked.Add(ref _ticks, TimestampFrequency);
            if (Meanwhile is { } other)
            {
                (_other, Meanwhile) = (other, null);
                other.Start();
                other.Join(TimeSpan.FromMilliseconds(200));
            }

            return now;
        }
    }
}
