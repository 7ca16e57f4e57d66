using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace AdaptivePool.Diagnostics;

/// <summary>
/// All of one kind that a meter tells of; tags tell them apart. Gauges are read when a collector asks, and cost nothing otherwise.
/// </summary>
/// <typeparam name="T">The kind: pools, or gates.</typeparam>
internal sealed class MeterMembers<T>
    where T : class
{
    private static readonly Meter s_own = new(MetricNames.Meter);
    private static readonly ConditionalWeakTable<Meter, MeterMembers<T>> s_byMeter = [];
    private readonly Lock _changing = new();
    private T[] _members = [];

    private MeterMembers(Meter meter) => Meter = meter;

    public Meter Meter { get; }

    /// <summary>Those of a meter.</summary>
    /// <param name="factory">Who makes the meter; <see langword="null"/> for the one of the process.</param>
    /// <param name="observe">Creates what is read when a collector asks: once for each meter.</param>
    public static MeterMembers<T> Of(IMeterFactory? factory, Action<MeterMembers<T>> observe)
    {
        Meter meter = factory?.Create(MetricNames.Meter) ?? s_own;
        lock (s_byMeter)
        {
            if (!s_byMeter.TryGetValue(meter, out MeterMembers<T>? members))
            {
                members = new MeterMembers<T>(meter);
                s_byMeter.Add(meter, members);
                observe(members);
            }

            return members;
        }
    }

    public void Add(T member)
    {
        lock (_changing)
        {
            Volatile.Write(ref _members, [.. _members, member]);
        }
    }

    public void Remove(T member)
    {
        lock (_changing)
        {
            Volatile.Write(ref _members, [.. _members.Where(it => !ReferenceEquals(it, member))]);
        }
    }

    /// <summary>What every one of them has to say now.</summary>
    public Func<IEnumerable<Measurement<TValue>>> Read<TValue>(Func<T, Measurement<TValue>> read)
        where TValue : struct => () => Volatile.Read(ref _members).Select(read).ToArray();

    /// <summary>The same where each has more than one thing to say.</summary>
    public Func<IEnumerable<Measurement<TValue>>> ReadMany<TValue>(Func<T, IEnumerable<Measurement<TValue>>> read)
        where TValue : struct => () => Volatile.Read(ref _members).SelectMany(read).ToArray();
}
