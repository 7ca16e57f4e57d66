using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

/// <summary>
/// What the options of waiting bring, and what they cost, on virtual time: ten permits, and unless said otherwise a transaction takes 10 ms, so that the gate
/// lets 1,000 a second through. docs/studies/gate.md has the numbers.
/// </summary>
public sealed class TransactionGateLoadTests
{
    private const int Permits = 10;
    private const int TenSeconds = 10_000;

    /// <summary>How long a client waits for its answer; a later one is work in vain.</summary>
    private const int Patience = 1_000;

    public enum Waiting
    {
        Default,
        ShortTimeout,
        OverloadDelay,
        OverloadDelayAndInterval,
    }

    /// <summary>For ten seconds half as much again comes as the gate lets through.</summary>
    [Theory]
    [InlineData(Waiting.Default, 2_980, 3_330)]
    [InlineData(Waiting.ShortTimeout, 10_000, 99)]
    [InlineData(Waiting.OverloadDelay, 10_000, 99)]
    [InlineData(Waiting.OverloadDelayAndInterval, 10_000, 334)]
    public void OverloadDelay_StandingOverload_AnswersInTime(Waiting setting, int inTime, int longestWait)
    {
        using var all = new Traffic(static now => 1 + (now % 2));
        Run(o => Set(o, setting), all);
        (all.InTime, all.LongestWait).ShouldBe((inTime, longestWait));
    }

    /// <summary>Half a second's work comes at once, and nothing after it.</summary>
    [Theory]
    [InlineData(Waiting.Default, 0)]
    [InlineData(Waiting.ShortTimeout, 400)]
    [InlineData(Waiting.OverloadDelay, 400)]
    [InlineData(Waiting.OverloadDelayAndInterval, 0)]
    public void OverloadInterval_Burst_IsBorne(Waiting setting, int refused)
    {
        using var burst = new Traffic(static now => now == 0 ? 500 : 0);
        Run(o => Set(o, setting), burst);
        burst.Refused.ShouldBe(refused);
    }

    /// <summary>High priorities alone take all that the gate lets through; a twentieth comes beside them.</summary>
    [Theory]
    [InlineData(1_000, 450, 1_000, 450)]
    [InlineData(86_400_000, 2, 1, 2)]
    public void KickUpAfter_HighPrioritiesTakeAll_TheLowOnesAreServed(int kickUpAfter, int served, int longestWait, int longestOfHigh)
    {
        using var high = new Traffic(static _ => 1) { Priority = TransactionPriority.High };
        using var low = new Traffic(static now => now % 20 == 0 ? 1 : 0) { Priority = TransactionPriority.Low };
        Run(o => o.KickUpAfter = TimeSpan.FromMilliseconds(kickUpAfter), high, low);
        (low.Served, low.LongestWait, high.LongestWait).ShouldBe((served, longestWait, longestOfHigh));
    }

    /// <summary>One tenant always has more transactions, of a second each, than there are permits; now and then a short one of another tenant comes.</summary>
    [Theory]
    [InlineData(true, 520, 100)]
    [InlineData(false, 0, 40)]
    public void BorrowsBetweenGroups_LongTransactionsOfOneTenant_TheOtherWaitsForOneOrNot(bool borrows, int longestWait, int served)
    {
        using var north = new Traffic(static now => now % 50 == 0 ? 1 : 0) { Partition = "north", Milliseconds = 1_000 };
        using var south = new Traffic(static now => now % 730 == 500 ? 1 : 0) { Partition = "south" };
        Run(
            o =>
            {
                (o.GroupCount, o.BorrowsBetweenGroups) = (1, borrows);
                (o.GroupWeights["north"], o.GroupWeights["south"]) = (1, 1);
            },
            north,
            south);
        (south.LongestWait, north.Served).ShouldBe((longestWait, served));
    }

    private static void Set(TransactionGateOptions options, Waiting setting)
    {
        var delay = TimeSpan.FromMilliseconds(100);
        options.QueueTimeout = setting == Waiting.ShortTimeout ? delay : options.QueueTimeout;
        options.OverloadDelay = setting is Waiting.OverloadDelay or Waiting.OverloadDelayAndInterval ? delay : null;
        options.OverloadInterval = setting == Waiting.OverloadDelayAndInterval ? TimeSpan.FromSeconds(1) : options.OverloadInterval;
    }

    private static void Run(Action<TransactionGateOptions> configure, params Traffic[] streams)
    {
        using var test = new TestGate(Permits, configure);
        for (int now = 0; now < TenSeconds; now++)
        {
            foreach (Traffic stream in streams)
            {
                stream.End(now);
            }

            foreach (Traffic stream in streams)
            {
                stream.Begin(test, now);
            }

            test.Pass(1);
        }
    }

    /// <summary>Transactions of one kind. Times are milliseconds since the start.</summary>
    /// <param name="arrivals">How many come at a time.</param>
    private sealed class Traffic(Func<int, int> arrivals) : IDisposable
    {
        private readonly Queue<(TransactionLease Lease, int Until)> _inside = [];
        private readonly List<(Task<RateLimitLease> Wait, int Since)> _waiting = [];

        public TransactionPriority Priority { get; init; } = TransactionPriority.Normal;

        public string? Partition { get; init; }

        public int Milliseconds { get; init; } = 10;

        public int Served { get; private set; }

        public int InTime { get; private set; }

        public int Refused { get; private set; }

        /// <summary>Of those that were served.</summary>
        public int LongestWait { get; private set; }

        public void End(int now)
        {
            while (_inside.TryPeek(out (TransactionLease Lease, int Until) first) && first.Until <= now)
            {
                _inside.Dequeue().Lease.Dispose();
            }
        }

        public void Begin(TestGate test, int now)
        {
            for (int i = arrivals(now); i > 0; i--)
            {
                _waiting.Add((test.Ask(Priority, Partition), now));
            }

            _waiting.RemoveAll(it => IsAnswered(it.Wait, it.Since, now));
        }

        public void Dispose() => End(int.MaxValue);

        private bool IsAnswered(Task<RateLimitLease> wait, int since, int now)
        {
            if (!wait.IsCompleted)
            {
                return false;
            }

            if (wait.Result is not TransactionLease lease)
            {
                Refused++;
                return true;
            }

            _inside.Enqueue((lease, now + Milliseconds));
            Served++;
            InTime += now - since + Milliseconds <= Patience ? 1 : 0;
            LongestWait = Math.Max(LongestWait, now - since);
            return true;
        }
    }
}
