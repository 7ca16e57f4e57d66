using AdaptivePool.Admission;
using AdaptivePool.Tests.Admission;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>A gate under check, and what must hold of it whatever happened: permits and their holders agree, and nobody waits beside a free permit.</summary>
internal sealed class ModelGate
{
    private readonly ManualClock _clock = new();
    private readonly List<ModelAnswer> _waits = [];
    private int _passes;
    private int _inside;

    public ModelGate(int limit, Action<TransactionGateOptions>? configure = null)
    {
        var options = new TransactionGateOptions { PermitLimit = limit };
        configure?.Invoke(options);
        Core = new GateCore<ModelSync>(options, new GateClock(_clock, _clock), places: 2);
    }

    public GateCore<ModelSync> Core { get; }

    /// <summary>A pass that is taken before the threads start.</summary>
    public ModelGate Full()
    {
        ModelFailureException.Require(Core.TryPass(looksFirst: true), "a gate with room refused");
        _passes++;
        return this;
    }

    public void EndPass()
    {
        _passes--;
        Core.EndPass();
    }

    /// <summary>Passes, if there is room at once, and looks who else is inside.</summary>
    public void PassOnce(int most, bool looksFirst = false)
    {
        if (Core.TryPass(looksFirst))
        {
            ModelFailureException.Require(ModelSync.Increment(ref _inside, string.Empty, 1) <= most, "more inside than the limit allows");
            ModelSync.Decrement(ref _inside, string.Empty, 2);
            Core.EndPass();
        }
    }

    public ModelAnswer Wait(string? partition = null)
    {
        var answer = new ModelAnswer();
        _waits.Add(answer);
        if (Core.EnterOrWait(new TransactionRequest { Partition = partition }, answer, CancellationToken.None))
        {
            return answer;
        }

        ModelFailureException.Require(answer.IsAdmitted || answer.Refusal is not null, "neither waits nor is decided");
        return answer;
    }

    /// <summary>Enters, if there is room at once.</summary>
    /// <param name="priority">As in the request.</param>
    /// <param name="partition">As in the request.</param>
    /// <param name="place">Where the thread looks first: where it was before.</param>
    public LeaseHold<ModelSync>? Enter(TransactionPriority priority = TransactionPriority.Normal, string? partition = null, int place = 0)
    {
        var request = new TransactionRequest { Priority = priority, Partition = partition };
        return Core.TryEnter(request, ref place) ?? Core.EnterOrRefuse(request, out _);
    }

    /// <summary>Ends the lease of one that has entered.</summary>
    public void Leave(LeaseHold<ModelSync> hold) => Core.Leave(hold, hold.Turns, isOuter: true);

    /// <summary>Lets all waits become too long, and looks.</summary>
    public void TimeOut()
    {
        _clock.Advance(TimeSpan.FromHours(1));
        Core.Look(out _, out _);
    }

    /// <summary>At the end.</summary>
    /// <param name="others">Permits held by none of the passes and answers.</param>
    public void Check(int others = 0)
    {
        int held = others + _passes + _waits.Count(static wait => wait.IsAdmitted);
        int waiting = _waits.Count(static wait => !wait.IsAdmitted && wait.Refusal is null && !wait.IsCancelled);
        ModelFailureException.Require(Core.Held == held, $"{Core.Held} permits count as held, {held} are");
        ModelFailureException.Require(Core.Queued == waiting, $"{Core.Queued} count as waiting, {waiting} do");
        ModelFailureException.Require(waiting == 0 || held >= Core.Limit, "somebody waits beside a free permit");
        ModelFailureException.Require(_waits.TrueForAll(static wait => wait.Told <= 1), "told twice");
    }

    /// <summary>At the end, when nobody is inside any more: the fast way must be open again.</summary>
    public void CheckOpen()
    {
        Check();
        ModelFailureException.Require(Core.TryPass(looksFirst: true), "an empty gate keeps its fast way shut");
    }
}
