using AdaptivePool.Control;
using AdaptivePool.Simulation.Classes;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <summary>Each reason that the policies give, in the situation that its text describes.</summary>
public class DecisionReasonTests
{
    private static readonly SimulatedWork s_sleeps = new() { BlockedSeconds = 0.02, CpuSeconds = 0.000_2 };
    private static readonly SimulatedWork s_database =
        new() { Database = ThroughputCurve.RemoteDatabase, ColdSeconds = 0.2, Spread = 0.5, ConnectSeconds = 0.5 };

    [Fact]
    public void Decide_Sleepers_LoanVerifiedThenRampThenModelJump()
    {
        SimulatedClass c = Run(s_sleeps with { CpuSeconds = 0.000_1 }, 2_000, 2);

        First(c, DecisionReason.Initial).ShouldBeLessThan(First(c, DecisionReason.StallLoan));
        First(c, DecisionReason.StallLoan).ShouldBeLessThan(First(c, DecisionReason.LoanVerified));
        First(c, DecisionReason.LoanVerified).ShouldBeLessThan(First(c, DecisionReason.Ramp));
        First(c, DecisionReason.Ramp).ShouldBeLessThan(First(c, DecisionReason.RampVerified));
        First(c, DecisionReason.RampVerified).ShouldBeLessThan(First(c, DecisionReason.ModelJump));
    }

    [Fact]
    public void Decide_SlowServer_LoanRepaidAndRampRefused()
    {
        SimulatedClass c = Run(s_database, 1_024, 6);

        First(c, DecisionReason.StallLoan).ShouldBeLessThan(First(c, DecisionReason.LoanRepaid));
        c.Saw(DecisionReason.RampRefused).ShouldBeTrue(c.Log());
    }

    [Fact]
    public void Decide_EveryWrite_HasATraceThatAgrees()
    {
        SimulatedClass c = Run(s_database, 1_024, 4);

        c.Decisions.ShouldAllBe(static d => d.Decision.Trace != null && d.Decision.Trace.To == d.Decision.Limit
            && d.Decision.Trace.Reason == d.Decision.Reason);
        int limit = c.Decisions[0].Decision.Limit;
        foreach ((_, var decision) in c.Decisions.Skip(1))
        {
            decision.Trace!.From.ShouldBe(limit);
            limit = decision.Limit;
        }
    }

    [Fact]
    public void Decide_WaveUnderWayWhenTheRampResumes_Reinitialized()
    {
        SizingSimulation simulation = new();
        SimulatedClass c = simulation.Add(
            s_sleeps,
            new StepController(static _ => 140, DecisionReason.Wave),
            new() { StartLimit = 2, MaxLimit = 2_048, StallLimit = TimeSpan.FromMilliseconds(10) });
        c.SetClients(250);
        simulation.OthersCores = 1.3;
        simulation.Run(6);
        c.Saw(DecisionReason.Wave).ShouldBeTrue(c.Log());

        simulation.OthersCores = 0;
        simulation.Run(5);

        c.Saw(DecisionReason.Reinitialized).ShouldBeTrue(c.Log());
    }

    private static SimulatedClass Run(SimulatedWork work, int clients, double seconds)
    {
        SizingSimulation simulation = new();
        SimulatedClass c = simulation.Add(work);
        c.SetClients(clients);
        simulation.Run(seconds);
        return c;
    }

    private static double First(SimulatedClass c, DecisionReason reason)
    {
        c.Saw(reason).ShouldBeTrue($"{reason} is missing\n{c.Log()}");
        return c.Decisions.First(d => d.Decision.Reason == reason).At;
    }
}
