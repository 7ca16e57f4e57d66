using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Runtime.ExceptionServices;
using System.Runtime.Loader;

namespace AdaptivePool.Diagnostics;

/// <summary>
/// All of one kind that a meter tells of; tags tell them apart, so no two have one name here. Gauges are read when a collector asks, and cost nothing
/// otherwise. The totals of those that have ended are told for some time more: a process that ends its pools before its collector, as hosts do, would never
/// tell what came after the last collection.
/// </summary>
/// <typeparam name="T">The kind: pools, or gates.</typeparam>
internal sealed class MeterMembers<T>
    where T : class
{
    private static readonly Meter s_own = CreateOwn();
    private static readonly ConditionalWeakTable<Meter, MeterMembers<T>> s_byMeter = [];
    // Two of the intervals at which collectors usually ask.
    private static readonly TimeSpan s_toldAfterEnd = TimeSpan.FromMinutes(2);

    // Of more than that the first are forgotten: a process that makes pools all the time must not keep them.
    private const int MostEnded = 64;

    private readonly Lock _changing = new();
    private readonly Func<T, string> _nameOf;
    private readonly List<Func<T, IEnumerable<Measurement<long>>>> _totals = [];
    private readonly ConcurrentQueue<Func<Instrument>> _instruments = [];
    private T[] _members = [];
    private Ended[] _ended = [];

    private MeterMembers(Meter meter, Func<T, string> nameOf) => (Meter, _nameOf) = (meter, nameOf);

    public Meter Meter { get; }

    /// <summary>Those of a meter.</summary>
    /// <param name="factory">Who makes the meter; <see langword="null"/> for the one of the process.</param>
    /// <param name="nameOf">The name of one of them.</param>
    /// <param name="observe">Says what is read when a collector asks: once for each meter, with <see cref="Gauge"/> and <see cref="Total"/>.</param>
    public static MeterMembers<T> Of(IMeterFactory? factory, Func<T, string> nameOf, Action<MeterMembers<T>> observe)
    {
        MeterMembers<T> members = s_byMeter.GetValue(factory?.Create(MetricNames.Meter) ?? s_own, meter =>
        {
            var created = new MeterMembers<T>(meter, nameOf);
            observe(created);
            return created;
        });

        // Outside of any lock: listeners are told here, and one that does not return must not hold up those that follow, of whatever meter. Who comes second
        // creates the instruments that are left, and may be ready before the last one is.
        members.CreateInstruments();
        return members;
    }

    /// <summary>Adds one, whose name gets a number where another has it: a collector would take the numbers of the two for those of one.</summary>
    /// <param name="member">It.</param>
    /// <param name="name">The name that it was given.</param>
    /// <param name="rename">Tells it the name that it has here.</param>
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
            if (_totals.Count > 0)
            {
                // Numbers only: what has ended is not kept.
                var ended = new Ended(_nameOf(member), Stopwatch.GetTimestamp(), [.. _totals.Select(read => read(member).ToArray())]);
                Volatile.Write(ref _ended, [.. _ended.Where(static it => it.IsTold).TakeLast(MostEnded - 1), ended]);
            }

            Volatile.Write(ref _members, [.. _members.Where(it => !ReferenceEquals(it, member))]);
        }
    }

    /// <summary>What every one of them has to say now.</summary>
    public void Gauge<TValue>(string name, string unit, string description, Func<T, IEnumerable<Measurement<TValue>>> read)
        where TValue : struct =>
        _instruments.Enqueue(() => Meter.CreateObservableGauge(name, () => Volatile.Read(ref _members).SelectMany(read).ToArray(), unit, description));

    /// <summary>The same of something that only grows, of those that have ended a short while ago, too.</summary>
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

    // A listener that throws when it is told of one must not take those that follow from all pools to come: a meter gets them once.
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

    // The runtime keeps each meter that was not disposed, and a meter keeps the code that it asks: a plugin's own copy of this library could not be unloaded.
    private static Meter CreateOwn()
    {
        Meter meter = new(MetricNames.Meter);
        if (AssemblyLoadContext.GetLoadContext(typeof(MeterMembers<T>).Assembly) is { IsCollectible: true } context)
        {
            context.Unloading += _ => meter.Dispose();
        }

        return meter;
    }

    // The next one of the same name begins anew: two numbers of one name would be none.
    private IEnumerable<Ended> EndedBeside(T[] members) => Volatile.Read(ref _ended)
        .Where(ended => ended.IsTold && !members.Any(member => _nameOf(member) == ended.Name))
        .GroupBy(static ended => ended.Name)
        .Select(static same => same.Last());

    /// <summary>What one that has ended had to say at last.</summary>
    private sealed record Ended(string Name, long At, Measurement<long>[][] Totals)
    {
        public bool IsTold => Stopwatch.GetElapsedTime(At) < s_toldAfterEnd;
    }
}
