using AdaptivePool.Dispatch;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>A thread of a program under check. A real thread carries it from run to run and moves only while it holds the baton.</summary>
internal sealed class VirtualThread
{
    [ThreadStatic]
    private static VirtualThread? t_current;

    /// <summary>Operations after the end of a run. What is left of it then waits for what never comes.</summary>
    private const int MostUnwound = 100_000;

    private readonly Parking _bed = new WordParking<RealSync>();
    private readonly Thread? _carrier;
    private Action? _body;
    private int _unwound;

    /// <summary>Creates a thread.</summary>
    /// <param name="id">Its number; -1 for the thread that prepares a program, which has no carrier.</param>
    public VirtualThread(int id)
    {
        Id = id;
        if (id >= 0)
        {
            _carrier = new Thread(Carry) { IsBackground = true, Name = $"virtual thread {id}" };
            _carrier.Start();
        }
    }

    /// <summary>The virtual thread that the caller carries.</summary>
    public static VirtualThread? Current
    {
        get => t_current;
        set => t_current = value;
    }

    public int Id { get; }

    public Execution Run { get; private set; } = null!;

    public ThreadStatus Status { get; set; }

    /// <summary>What it sleeps on or wants to enter.</summary>
    public Location? BlockedOn { get; set; }

    /// <summary>Whether the next step was chosen when the thread was chosen.</summary>
    public bool IsFresh { get; set; }

    /// <summary>Whether it has done more than read since it last could be stopped.</summary>
    public bool HasWritten { get; set; }

    /// <summary>Whether its run is over: operations have no choices any more.</summary>
    public bool IsUnwinding { get; set; }

    /// <summary>The step at which it moved last, or was woken.</summary>
    public int LastStep { get; set; }

    /// <summary>Whether an interrupt is pending: the next wait that it can end takes it.</summary>
    public bool IsInterrupted { get; set; }

    /// <summary>Whether it is in a wait that an interrupt ends.</summary>
    public bool MayBeInterrupted { get; set; }

    /// <summary>What it must have seen.</summary>
    public View Seen { get; private set; } = new();

    /// <summary>What the next fence makes seen: views of messages that were read without acquire.</summary>
    public View Pending { get; private set; } = new();

    /// <summary>What its unordered writes publish: all that was seen at the last fence.</summary>
    public View Fenced { get; private set; } = new();

    /// <summary>What it has read before it was written.</summary>
    public Foresight? Foreseen { get; set; }

    /// <summary>Its clock, in ticks; 0 in each run at first, which is no time to those who measure.</summary>
    public long Now { get; set; }

    /// <summary>How often it has yielded in this run.</summary>
    public int Yields { get; set; }

    /// <summary>Its entry among those who owe wakes.</summary>
    public WakeDebt Debt { get; } = new();

    /// <summary>Everything it has seen so far, in one number: its local state.</summary>
    public ulong History { get; set; }

    /// <summary>
    /// Called by a program where its local state is only what it says: what led there is forgotten, so that more runs meet in the same state.
    /// </summary>
    public static void Forget(int localState)
    {
        if (t_current is { } current)
        {
            current.HasWritten = true;
            current.History = (ulong)HashCode.Combine(current.Id, localState);
        }
    }

    /// <summary>
    /// Called by a program: sleeps until nobody else can go on, as a thread that looks from time to time does. Then all that was written has long arrived.
    /// </summary>
    public static void AwaitRest()
    {
        if (t_current is { IsUnwinding: false } current)
        {
            current.Run.AwaitRest(current);
        }
    }

    /// <summary>Called by a program in what goes on for ever: the others that can go on have a turn first.</summary>
    public static void MakeWay()
    {
        if (t_current is { IsUnwinding: false } current)
        {
            current.Run.MakeWay(current);
        }
    }

    /// <summary>
    /// Called by a program: Thread.Interrupt of one of its threads. Those of the preparation have the first numbers, in the order in which they were started.
    /// </summary>
    public static void Interrupt(int id)
    {
        if (t_current is { IsUnwinding: false } current)
        {
            current.Run.Interrupt(current, id);
        }
    }

    /// <summary>Takes the interrupt that is pending.</summary>
    /// <returns>Whether there was one.</returns>
    public bool TakeInterrupt()
    {
        if (!IsInterrupted)
        {
            return false;
        }

        IsInterrupted = false;
        History = (ulong)HashCode.Combine(History, nameof(Interrupt));
        return true;
    }

    /// <summary>Whether its run is over. Called for each of its operations.</summary>
    public bool Unwinds()
    {
        if (IsUnwinding && ++_unwound > MostUnwound)
        {
            throw new InvalidOperationException("A thread does not end with its run: it waits for what never comes.");
        }

        return IsUnwinding;
    }

    public void Prepare(Execution run, Action? body, View seen)
    {
        Run = run;
        _body = body;
        Status = ThreadStatus.Ready;
        BlockedOn = null;
        Foreseen = null;
        IsFresh = true;
        IsUnwinding = false;
        _unwound = 0;
        HasWritten = true;
        LastStep = run.CurrentStep;
        Now = 0;
        Debt.OwedTo = 0;
        Yields = 0;
        IsInterrupted = false;
        MayBeInterrupted = false;
        Seen = seen.Copy();
        Pending = new View();
        Fenced = seen.Copy();
        History = (ulong)(Id + 7);
    }

    /// <summary>Gives the baton.</summary>
    public void Resume() => _bed.Unpark();

    /// <summary>Waits for the baton.</summary>
    public void Pause() => _bed.Park();

    /// <summary>Ends the carrier.</summary>
    public void End()
    {
        _body = null;
        Run = null!;
        Resume();
        _carrier?.Join();
    }

    private void Carry()
    {
        t_current = this;
        while (true)
        {
            Pause();
            if (_body is not { } body)
            {
                return;
            }

            try
            {
                if (!Run.IsOver)
                {
                    body();
                }
            }
            catch (AbandonedException)
            {
                // The run is over; nothing of it is left on this stack.
            }
            catch (Exception exception)
            {
                Run.Fail(exception);
            }

            Run.OnEnd(this);
        }
    }
}
