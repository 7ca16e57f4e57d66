using System.Collections.Concurrent;

namespace AdaptivePool.Dispatch;

/// <summary>The classes of a pool by name. Bounded: a program that names classes after its data must not make the pool scan thousands of queues.</summary>
internal sealed class WorkClassMap
{
    private const string NameAllowed = $"{OptionCheck.NameAllowed}, except '{WorkClass.InFlightName}'";

    private readonly ConcurrentDictionary<string, WorkClass> _byName = new(StringComparer.Ordinal);
    private readonly SyncLock<RealSync> _adding = new();
    private readonly AdaptiveThreadPool _pool;
    private readonly WorkerSet _set;
    private readonly int _most;
    private readonly int _startLimit;
    private readonly Action<string> _warn;
    private bool _isCrowded;

    public WorkClassMap(AdaptiveThreadPool pool, WorkerSet set, int most, int startLimit, Action<string> warn)
    {
        _warn = warn;
        _pool = pool;
        _set = set;
        _most = most;
        _startLimit = startLimit;
        Default = Add("default", isDefault: true);
    }

    public WorkClass Default { get; }

    public WorkClass Get(string name)
    {
        if (_byName.TryGetValue(name, out WorkClass? found))
        {
            return found;
        }

        if (OptionCheck.HasControl(name) || name == WorkClass.InFlightName)
        {
            throw new ArgumentException(OptionCheck.Failure("The class name", name, NameAllowed).Message, nameof(name));
        }

        using (_adding.Hold())
        {
            if (_byName.TryGetValue(name, out found))
            {
                return found;
            }

            if (_byName.Count < _most)
            {
                return Add(name, isDefault: false);
            }

            if (_isCrowded)
            {
                return Default;
            }

            _isCrowded = true;
        }

        // Outside the lock: the code that receives the warning may ask for a class.
        _warn($"There are {_most} work classes, the default one included, and MaxClasses allows no more: '{name}' and all later names use the "
            + "default class, with one limit and one queue for all");
        return Default;
    }

    private WorkClass Add(string name, bool isDefault)
    {
        var core = new ClassCore(name, _startLimit, isInFlight: false);
        var added = new WorkClass(_pool, core, isDefault);
        added.Bind();
        core.Owner = added;
        _set.AddClass(core);
        _byName[name] = added;
        return added;
    }
}
