using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Runtime.ExceptionServices;
using System.Runtime.Loader;

namespace AdaptivePool.Diagnostics;

/// <summary>
/// All members of one kind that a meter reports. Tags distinguish them, so no two members have the same name here. Gauges are read when a collector asks, and
/// cost nothing otherwise. The totals of members that have ended are reported for some time more. A process that ends its pools before its collector, as
/// hosts do, would otherwise never report what came after the last collection.
/// </summary>
/// <typeparam name="T">The kind: pools, or gates.</typeparam>
internal sealed class MeterMembers<T>
    where T : class
{
    private static readonly Meter s_own = CreateOwn();
    private static readonly ConditionalWeakTable<Meter, MeterMembers<T>> s_byMeter = [];
    // Twice the interval at which collectors usually ask.
    private static readonly TimeSpan s_toldAfterEnd = TimeSpan.FromMinutes(2);

    // Of a larger number the oldest are forgotten: a process that continually creates pools must not keep them.
    private const int MostEnded = 64;

    private readonly Lock _changing = new();
    private readonly Func<T, string> _nameOf;
    private readonly List<Func<T, IEnumerable<Measurement<long>>>> _totals = [];
    private readonly ConcurrentQueue<Func<Instrument>> _instruments = [];
    private T[] _members = [];
    private Ended[] _ended = [];

    private MeterMembers(Meter meter, Func<T, string> nameOf) => (Meter, _nameOf) = (meter, nameOf);

    public Meter Meter { get; }

    /// <summary>Returns the members of a meter.</summary>
    /// <param name="factory">The factory of the meter; <see langword="null"/> for the meter of the process.</param>
    /// <param name="nameOf">Returns the name of a member.</param>
    /// <param name="observe">Defines what is read when a collector asks: called once for each meter; uses <see cref="Gauge"/> and
    /// <see cref="Total"/>.</param>
    public static MeterMembers<T> Of(IMeterFactory? factory, Func<T, string> nameOf, Action<MeterMembers<T>> observe)
    {
        MeterMembers<T> members = s_byMeter.GetValue(factory?.Create(MetricNames.Meter) ?? s_own, meter =>
        {
            var created = new MeterMembers<T>(meter, nameOf);
            observe(created);
            return created;
        });

        // Outside any lock: listeners are called here, and a listener that does not return must not hold up later callers, of whatever meter. A second caller
        // creates the instruments that are left, and may return before the last one exists.
        members.CreateInstruments();
        return members;
    }

    /// <summary>Adds a member. If another member has its name, a number is added to the name: a collector would mix up the numbers of the two.</summary>
    /// <param name="member">The member.</param>
    /// <param name="name">The name that the member was given.</param>
    /// <param name="rename">Called with the name that the member has here.</param>
    public void Add(T member, string name, Action<string> rename)
    {
        lock (_changing)
        {
            string unique = name;
            for (int i = 2; _members.Any(it => _nameOf(it) == unique); i++)
            {
                unique = $"{name}-{i}";
            }

            rename(unique);
            Volatile.Write(ref _members, [.. _members, member]);
        }
    }

    public void Remove(T member)
    {
        lock (_changing)
        {
            // Before the last reading: a total may still grow, and a collector that read it later would be told less the next time, as if it had begun again.
            Volatile.Write(ref _members, [.. _members.Where(it => !ReferenceEquals(it, member))]);
            if (_totals.Count > 0)
            {
                // Numbers only, so that a member that has ended is not kept alive.
                var ended = new Ended(_nameOf(member), Stopwatch.GetTimestamp(), [.. _totals.Select(read => read(member).ToArray())]);
                Volatile.Write(ref _ended, [.. _ended.Where(static it => it.IsTold).TakeLast(MostEnded - 1), ended]);
            }
        }
    }

    /// <summary>Defines a gauge with a value for each member.</summary>
    public void Gauge<TValue>(string name, string unit, string description, Func<T, IEnumerable<Measurement<TValue>>> read)
        where TValue : struct =>
        _instruments.Enqueue(() => Meter.CreateObservableGauge(name, () => Volatile.Read(ref _members).SelectMany(read).ToArray(), unit, description));

    /// <summary>Defines a total that only grows, for each member, including members that have ended a short while ago.</summary>
    public void Total(string name, string unit, string description, Func<T, IEnumerable<Measurement<long>>> read)
    {
        int index = _totals.Count;
        _totals.Add(read);
        _instruments.Enqueue(() => Meter.CreateObservableCounter(name, () => Totals(index), unit, description));
    }

    private IEnumerable<Measurement<long>> Totals(int index)
    {
        T[] members = Volatile.Read(ref _members);
        return [.. members.SelectMany(_totals[index]), .. EndedBeside(members).SelectMany(ended => ended.Totals[index])];
    }

    // A listener that throws when it sees one instrument must not take the later instruments away from all future pools: a meter gets each instrument once.
    private void CreateInstruments()
    {
        ExceptionDispatchInfo? fault = null;
        while (_instruments.TryDequeue(out Func<Instrument>? create))
        {
            try
            {
                create();
            }
            catch (Exception exception)
            {
                fault ??= ExceptionDispatchInfo.Capture(exception);
            }
        }

        fault?.Throw();
    }

    // The runtime keeps each meter that was not disposed, and a meter keeps the code that it calls. A plugin's own copy of this library could not be
    // unloaded.
    private static Meter CreateOwn()
    {
        Meter meter = new(MetricNames.Meter);
        if (AssemblyLoadContext.GetLoadContext(typeof(MeterMembers<T>).Assembly) is { IsCollectible: true } context)
        {
            context.Unloading += _ => meter.Dispose();
        }

        return meter;
    }

    // A new member of the same name starts again: two values under one name would be of no use.
    private IEnumerable<Ended> EndedBeside(T[] members) => Volatile.Read(ref _ended)
        .Where(ended => ended.IsTold && !members.Any(member => _nameOf(member) == ended.Name))
        .GroupBy(static ended => ended.Name)
        .Select(static same => same.Last());

    /// <summary>The last values of a member that has ended.</summary>
    private sealed record Ended(string Name, long At, Measurement<long>[][] Totals)
    {
        public bool IsTold => Stopwatch.GetElapsedTime(At) < s_toldAfterEnd;
    }
}
