using System.Threading.RateLimiting;
using AdaptivePool.Admission;
using FsCheck;
using FsCheck.Fluent;

namespace AdaptivePool.Tests.Admission;

/// <summary>Random operations on one gate: never more inside than the limit in force, nobody waits beside a free permit, all permits come back.</summary>
public sealed class TransactionGatePropertyTests
{
    [Fact]
    public void Operations_AnySequence_SharedGate_KeepTheLimit() =>
        Prop.ForAll<ushort[], byte>((operations, setting) => Run(operations, setting, divided: false))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(300).WithEndSize(200));

    [Fact]
    public void Operations_AnySequence_DividedGate_KeepTheLimit() =>
        Prop.ForAll<ushort[], byte>((operations, setting) => Run(operations, setting, divided: true))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(300).WithEndSize(200));

    private static void Run(ushort[] operations, byte setting, bool divided)
    {
        using var test = new TestGate(1 + (setting % 4), o =>
        {
            o.QueueProcessingOrder = setting % 3 == 1 ? QueueProcessingOrder.NewestFirst : QueueProcessingOrder.OldestFirst;
            o.QueueLimit = 1 + (setting % 7);
            o.QueueTimeout = TimeSpan.FromMilliseconds(50);
            o.KickUpAfter = TimeSpan.FromMilliseconds(10);
            o.OverloadDelay = setting % 2 == 0 ? TimeSpan.FromMilliseconds(5) : null;
            o.OverloadInterval = TimeSpan.FromMilliseconds(20);
            o.GroupCount = divided ? 3 : 0;
            o.BorrowsBetweenGroups = !divided || setting % 5 != 0;
        });
        using var run = new GateRun(test);
        foreach (ushort operation in operations)
        {
            run.Do(operation % 8, operation / 8);
            run.Check(isWorkConserving: !divided || setting % 5 != 0);
        }

        run.EndAll();
        GateSnapshot end = test.Gate.GetSnapshot();
        (end.Held, end.Queued, end.Privileged, test.Gate.GetLeases().Count).ShouldBe((0, 0, 0, 0));
    }

    private sealed class GateRun(TestGate test) : IDisposable
    {
        private readonly List<TransactionLease> _inside = [];
        private readonly List<(Task<RateLimitLease> Wait, CancellationTokenSource Cancellation)> _waits = [];
        private int _excess;
        private int _limit;

        public void Do(int operation, int value)
        {
            var request = new TransactionRequest { Priority = (TransactionPriority)(value % 4), Partition = value % 3 == 0 ? null : $"p{value % 5}" };
            switch (operation)
            {
                case 0 or 1 or 2:
                    var cancellation = new CancellationTokenSource();
                    _waits.Add((test.Gate.AcquireAsync(request, cancellation.Token).AsTask(), cancellation));
                    break;
                case 3:
                    Take(test.Gate.AttemptAcquire(request));
                    break;
                case 4 or 5 when _inside.Count > 0:
                    TransactionLease ended = _inside[value % _inside.Count];
                    _inside.Remove(ended);
                    ended.Dispose();
                    ended.Dispose();
                    break;
                case 6 when _waits.Count > 0:
                    _waits[value % _waits.Count].Cancellation.Cancel();
                    break;
                case 7 when value % 2 == 0:
                    test.Gate.PermitLimit = 1 + (value % 6);
                    break;
                default:
                    test.Pass(value % 30);
                    break;
            }

            Collect();
        }

        /// <summary>Those inside beyond the limit can only be left over from a higher one: they never become more.</summary>
        public void Check(bool isWorkConserving)
        {
            GateSnapshot now = test.Gate.GetSnapshot();
            int inside = _inside.Count(static lease => !lease.IsPrivileged);
            int excess = Math.Max(0, inside - now.PermitLimit);
            now.Held.ShouldBe(inside);
            now.Queued.ShouldBe(_waits.Count);
            if (_limit == now.PermitLimit)
            {
                excess.ShouldBeLessThanOrEqualTo(_excess);
            }

            if (isWorkConserving && now.Queued > 0)
            {
                inside.ShouldBeGreaterThanOrEqualTo(now.PermitLimit);
            }

            _excess = excess;
            _limit = now.PermitLimit;
        }

        public void EndAll()
        {
            test.Gate.PermitLimit = 0;
            Collect();
            _waits.ShouldBeEmpty();
            _inside.ForEach(static lease => lease.Dispose());
        }

        public void Dispose() => _waits.ForEach(static wait => wait.Cancellation.Dispose());

        private void Collect()
        {
            foreach ((Task<RateLimitLease> wait, CancellationTokenSource cancellation) in _waits.Where(static wait => wait.Wait.IsCompleted).ToList())
            {
                _waits.Remove((wait, cancellation));
                cancellation.Dispose();
                if (!wait.IsCanceled)
                {
                    Take(wait.Result);
                }
            }
        }

        private void Take(RateLimitLease lease)
        {
            if (lease is TransactionLease inside)
            {
                _inside.Add(inside);
            }
        }
    }
}
