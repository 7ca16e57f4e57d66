using AdaptivePool.Dispatch.Queues;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>
/// A set whose numbers are ready when their cell says so, and one who sleeps unless it finds a number: the part of the sleep protocol that the set is used in.
/// </summary>
internal sealed class ModelReadySet
{
    private readonly ReadySet<ModelSync> _set;
    private readonly Cell[] _work;
    private readonly Cell _asleep = new();
    private readonly Cell _woken = new();

    public ModelReadySet(int capacity)
    {
        _work = [.. Enumerable.Range(0, capacity).Select(static _ => new Cell())];
        _set = new ReadySet<ModelSync>(capacity, IsReady);
    }

    /// <summary>Says that a number may be ready.</summary>
    public void Note(int number) => _set.Note(number);

    /// <summary>Work of a number arrives. What WorkerSet.QueueRoot does.</summary>
    public void Arrive(int number)
    {
        ModelSync.RelaxedWrite(ref _work[number].Value, 1, string.Empty, 1);
        ModelSync.Fence(string.Empty, 2);
        Note(number);
        Wake();
    }

    /// <summary>Work of a number is taken.</summary>
    public void End(int number) => ModelSync.RelaxedWrite(ref _work[number].Value, 0, string.Empty, 3);

    /// <summary>One who looks for work and goes on with something else.</summary>
    public void Look()
    {
        bool restored = false;
        _set.Find(0, _work.Length, ref restored);
        if (restored)
        {
            Wake();
        }
    }

    /// <summary>One who goes to sleep. What WakeProtocol.LieDown does.</summary>
    public void Sleep()
    {
        ModelSync.RelaxedWrite(ref _asleep.Value, 1, string.Empty, 4);
        ModelSync.Fence(string.Empty, 5);
        bool restored = false;
        if (_set.Find(0, _work.Length, ref restored) >= 0 || restored)
        {
            ModelSync.RelaxedWrite(ref _woken.Value, 1, string.Empty, 6);
        }
    }

    /// <summary>Throws unless each number whose work waits is found, and, when one does, whoever sleeps was called.</summary>
    public void Require()
    {
        int waiting = 0;
        for (int i = 0; i < _work.Length; i++)
        {
            bool restored = false;
            bool ready = IsReady(i);
            waiting += ready ? 1 : 0;
            ModelFailureException.Require(!ready || _set.Find(i, i + 1, ref restored) == i, $"{i} is ready and not in the set");
        }

        bool sleeps = ModelSync.RelaxedRead(ref _asleep.Value, string.Empty, 7) != 0 && ModelSync.RelaxedRead(ref _woken.Value, string.Empty, 8) == 0;
        ModelFailureException.Require(waiting == 0 || !sleeps, "work waits and nobody was called");
    }

    private bool IsReady(int number) => ModelSync.RelaxedRead(ref _work[number].Value, string.Empty, 9) != 0;

    // WakeProtocol.EnsureWorker.
    private void Wake()
    {
        if (ModelSync.RelaxedRead(ref _asleep.Value, string.Empty, 10) != 0)
        {
            ModelSync.RelaxedWrite(ref _woken.Value, 1, string.Empty, 11);
        }
    }
}
