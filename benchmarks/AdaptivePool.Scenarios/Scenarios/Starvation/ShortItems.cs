using System.Diagnostics;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Starvation;

/// <summary>Short items that a thread of its own sends at a steady rate, whatever becomes of the earlier ones.</summary>
public sealed class ShortItems
{
    private static readonly TimeSpan s_window = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan s_scanStep = TimeSpan.FromMilliseconds(5);
    private readonly List<Item> _sent = [];
    private readonly ComparedClass _target;
    private readonly Action _work;
    private readonly TimeSpan _period;
    private readonly Thread _sender;
    private int _stop;

    /// <summary>Begins to send.</summary>
    public ShortItems(ComparedClass target, Action work, TimeSpan period)
    {
        _target = target;
        _work = work;
        _period = period;
        _sender = new Thread(Send) { IsBackground = true, Name = "short items" };
        _sender.UnsafeStart();
    }

    /// <summary>Stops sending.</summary>
    public void Stop()
    {
        Volatile.Write(ref _stop, 1);
        _sender.Join();
    }

    /// <summary>99th percentile of the time from sending to the end of the items sent between two moments; what has not ended yet counts with its age. Call it
    /// after <see cref="Stop"/>.</summary>
    public TimeSpan Latency(long from, long to)
    {
        long now = Stopwatch.GetTimestamp();
        long[] ticks = [.. _sent.Where(i => i.SentAt >= from && i.SentAt < to).Select(i => (i.EndedAt is var end and not 0 ? end : now) - i.SentAt).Order()];
        return ticks.Length == 0 ? TimeSpan.Zero : Stopwatch.GetElapsedTime(0, ticks[Math.Min(ticks.Length - 1, (int)Math.Ceiling(ticks.Length * 0.99) - 1)]);
    }

    /// <summary>Time from a moment until the items sent in the following quarter of a second have a 99th percentile within the bound; null when that never
    /// comes.</summary>
    public TimeSpan? RecoveredAfter(long from, long to, TimeSpan bound)
    {
        long window = Ticks(s_window);
        for (long at = from; at + window <= to; at += Ticks(s_scanStep))
        {
            if (Latency(at, at + window) <= bound)
            {
                return Stopwatch.GetElapsedTime(from, at);
            }
        }

        return null;
    }

    /// <summary>The moment so long after another, as the time stamps of <see cref="Latency"/> count.</summary>
    public static long After(long moment, TimeSpan time) => moment + Ticks(time);

    private static long Ticks(TimeSpan time) => (long)(time.TotalSeconds * Stopwatch.Frequency);

    private void Send()
    {
        long start = Stopwatch.GetTimestamp();
        while (Volatile.Read(ref _stop) == 0)
        {
            // By the schedule, not by the pause: a late wake-up sends what is due.
            while (_sent.Count * _period < Stopwatch.GetElapsedTime(start))
            {
                Item item = new(_work) { SentAt = Stopwatch.GetTimestamp() };
                _sent.Add(item);
                _target.Queue(item);
            }

            Thread.Sleep(1);
        }
    }

    private sealed class Item(Action work) : IThreadPoolWorkItem
    {
        private long _endedAt;

        public long SentAt { get; init; }

        public long EndedAt => Volatile.Read(ref _endedAt);

        public void Execute()
        {
            work();
            Volatile.Write(ref _endedAt, Stopwatch.GetTimestamp());
        }
    }
}
