using AdaptivePool.Sensing;

namespace AdaptivePool.Sizing;

/// <remarks>What sizing exchanges with the outside of the classes: memory, the other pools of the process, and times in which the process stood
/// still.</remarks>
internal sealed partial class SizingLoop
{
    private readonly CpuBudget.Member _budget;
    private readonly MemoryMeter _memoryMeter;
    private readonly MemoryGuardRule _memoryGuard;
    private readonly MemoryGrowthRule _memoryGrowth;
    private readonly ThreadRoom _threadRoom;
    private readonly CountedTime _time;
    private readonly Action<string> _warn;
    private readonly HashSet<string> _heldBack = new(StringComparer.Ordinal);
    private double? _usedAt;
    private double _usedSeconds;
    private double _usedCores;
    private int _mostForRoom = int.MaxValue;
    private int _mostForMemory = int.MaxValue;
    private bool _hasMemory = true;
    private int _poolsAtLook;
    private double? _lacksRoomSince;
    private bool _isRoomTold;

    private double Elapsed => Stopwatch.GetElapsedTime(_startedAt).TotalSeconds;

    private static double Collected => GC.GetTotalPauseDuration().TotalSeconds;

    /// <summary>The time that counts: the time since the start without the time in which the process stood still.</summary>
    private double LookAtClock() => _time.Look(Elapsed, Collected);

    private void Wait(TimeSpan longest)
    {
        _time.AskFor(longest);
        _doze.Pause(longest);
    }

    /// <summary>Gives back what is held for workers that have ended: the files of their threads, the thread that starts others, the share of cores.</summary>
    public void GiveBack()
    {
        _watch.GiveBack();
        _starter.Stop();
        _budget.Leave();
    }

    /// <summary>The machine as this pool sees it: the use of other pools of the process counts as others' use.</summary>
    private MachineObservation Machine()
        => new(
            CpuShareRule.OwnCores(_cpu.OwnCores, _usedCores, _budget.OthersCores()),
            Math.Min(_cpu.Cores, _cpu.IdleCores + _budget.ElasticCores()),
            _cpu.Cores,
            _cpu.IsKnown);

    /// <summary>Reads the use of the CPU. It does so after the decisions, and not at the first look: the first reading of a process takes 10 ms, for which
    /// the first items of a cold pool would wait. The use is known after two readings.</summary>
    private void LookAtMachine()
    {
        if (_usedAt is not { } usedAt)
        {
            _usedAt = double.NegativeInfinity;
            return;
        }

        // The system's counters continue while the process stands still.
        double elapsedSinceStart = Elapsed;
        _cpu.Observe(elapsedSinceStart);
        double elapsed = elapsedSinceStart - usedAt;
        if (elapsed >= CpuMeter.WindowSeconds)
        {
            double used = _watch.CpuSeconds;
            _usedCores = elapsed < CpuShareRule.StaleSeconds ? (used - _usedSeconds) / elapsed : 0;
            (_usedAt, _usedSeconds) = (elapsedSinceStart, used);
            _budget.TellUse(_usedCores);
        }
    }

    /// <summary>Threads that this pool's hogs may have.</summary>
    private int HogBudget(in MachineObservation machine)
    {
        long demand = 0;
        for (int i = 0; i < _sizings.Count; i++)
        {
            demand += _claims[i].IsHog ? _claims[i].Used : 0;
        }

        return _budget.ShareHogs((int)Math.Min(int.MaxValue, demand), machine.WholeCores + 1);
    }

    /// <summary>Threads that may exist: the user's maximum, or what the system allows without the threads that are left to others.</summary>
    private int MostThreads => Math.Min(Wish.MaxThreads, SystemThreads);

    /// <summary>
    /// What the system allows, and in any case the minimum that the user has asked for. The default minimum does not count here: the user has not asked for
    /// it, and it is large on a machine of many cores.
    /// </summary>
    private int SystemThreads => Math.Max(Volatile.Read(ref _mostForRoom), Wish.AskedThreads);

    /// <summary>Finds out how many threads the system allows. The first time is when the pool begins: its first threads may be more than that.</summary>
    private void LookAtThreads(double time)
    {
        // A value that was found while fewer pools shared is more than the pool's part.
        int pools = _budget.Pools;
        bool isOutdated = pools != _poolsAtLook;
        _poolsAtLook = pools;
        if (_threadRoom.Observe(time, isOutdated))
        {
            int most = _threadRoom.Free is { } free
                ? ThreadRoomRule.Most(_set.Existing, free, pools, _budget.OthersThreads())
                : int.MaxValue;
            Volatile.Write(ref _mostForRoom, most);
            _budget.TellThreads(MostThreads);
        }
    }

    /// <summary>Leaves some of the threads that the system allows to the rest of the process.</summary>
    private void GuardThreads(double time)
    {
        LookAtThreads(time);
        int before = _set.MaxThreads;
        int now = MostThreads;
        if (now != before)
        {
            _set.MaxThreads = now;
        }

        if (now > before)
        {
            // As after a user's wish: waiting work may lack only the thread, or the place among all root work, that the old maximum did not allow.
            _set.LookAgain();
            _starter.Request();
        }
    }

    /// <summary>
    /// Reports once that the system keeps the pool from growing. Classes that burn want no more threads than there are cores; on full cores they cannot be
    /// told from classes that wait.
    /// </summary>
    private void TellRoom(in MachineObservation machine, double time)
    {
        int most = SystemThreads;
        long wanted = 0;
        for (int i = 0; i < _sizings.Count; i++)
        {
            wanted += _claims[i].IsHog ? 0 : _claims[i].Used;
        }

        bool lacksRoom = most < Wish.MaxThreads && _set.Existing >= most && wanted > most
            && !(machine.IdleShare < ClassSizeSettings.LoanIdleShare);
        _lacksRoomSince = lacksRoom ? _lacksRoomSince ?? time : null;
        if (!_isRoomTold && ThreadRoomRule.IsTold(time - _lacksRoomSince))
        {
            _isRoomTold = true;
            _warn(ThreadRoomRule.Message(most));
        }
    }

    /// <summary>Prevents thread starts near the memory limit. The limits follow at the next look.</summary>
    private void GuardMemory(bool waiting, double now)
    {
        // The allowed threads have been started: the memory that they took decides how many more there may be.
        int existing = _set.Existing;
        bool isUsedUp = existing >= _mostForMemory && !_memoryGuard.Holds;
        if (_memoryMeter.Observe(now, isUsedUp))
        {
            _mostForMemory = _memoryGrowth.Look(TimeSpan.FromSeconds(now), _memoryMeter.Uses, existing, _budget.AwakePools);
            _hasMemory = _mostForMemory > existing;
        }

        var observation = new MemoryObservation(
            TimeSpan.FromSeconds(now), _memoryMeter.UsedShare, existing, _watch.Runnable, _watch.Heartbeats, waiting, _completed, _mostForMemory, _hasMemory);

        // Threads that are lent in a deadlock may exceed the maximum, but not what the system allows.
        int most = Math.Min(_memoryGuard.Observe(observation), SystemThreads);
        bool mayStart = most > _set.MostThreads;
        _set.MostThreads = most;
        if (mayStart)
        {
            _starter.Request();
        }
    }

    private void HoldLimits()
    {
        if (!_memoryGuard.Holds)
        {
            _heldBack.Clear();
            return;
        }

        int free = _set.Idle.Count + _set.MostThreads - _set.Existing;
        for (int i = 0; i < _sizings.Count; i++)
        {
            ClassCore core = _sizings[i].Core;
            free -= Math.Max(0, Math.Min(core.Limit.Value, _claims[i].Demand) - core.Limit.Active);
        }

        for (int i = 0; i < _sizings.Count; i++)
        {
            ClassCore core = _sizings[i].Core;
            (int before, int merged) = (core.Limit.Value, _limits[i]);
            _limits[i] = MemoryGuardRule.Hold(before, merged, ref free);

            // One report when a class is first held back, and one for each thread that it gets nevertheless.
            if (!_claims[i].IsFixed && merged > before && (_limits[i] > before || _heldBack.Add(core.Name)))
            {
                _onDecision(new ControllerTrace { ClassName = core.Name, From = before, To = _limits[i], Reason = DecisionReason.MemoryLimit });
            }
        }
    }
}
