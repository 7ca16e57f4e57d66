using AdaptivePool.Control;
using AdaptivePool.Simulation.Classes;
using AdaptivePool.Simulation.Curves;
using AdaptivePool.Sizing;

namespace AdaptivePool.Simulation;

/// <summary>One controller on one simulated pool from a start to an end, with everything noted that the metrics and a picture need.</summary>
public sealed class ClimbRun
{
    // A TimeSpan counts 100 ns: a shorter rest of the run would be a sample of no length.
    private const double Grain = 1e-6;
    private static readonly TimeSpan s_firstInterval = TimeSpan.FromMilliseconds(100);

    private ClimbRun(CostCurve curve, SimulationSettings settings, int start, double seconds)
    {
        Curve = curve;
        Settings = settings;
        Start = start;
        Seconds = seconds;
    }

    /// <summary>The curve at the beginning.</summary>
    public CostCurve Curve { get; }

    /// <summary>The circumstances.</summary>
    public SimulationSettings Settings { get; }

    /// <summary>The size at the beginning, in threads.</summary>
    public int Start { get; }

    /// <summary>Length, in virtual seconds.</summary>
    public double Seconds { get; }

    /// <summary>The moments: every tick, decision and workload change.</summary>
    public IReadOnlyList<SimulationPoint> Points => _points;

    /// <summary>The decisions that changed the size or the state of the controller.</summary>
    public IReadOnlyList<ClimbEvent> Events => _events;

    /// <summary>The sizes that a class had verified, from when on. Empty for a controller.</summary>
    public IReadOnlyList<(double At, int Size)> Verified => _verified;

    /// <summary>What the items were taken for during most of the run.</summary>
    internal WorkKind Kind => _kinds.Count > 0 ? _kinds.MaxBy(static k => k.Value).Key : WorkKind.Unknown;

    /// <summary>Updates of the controller.</summary>
    public int Updates { get; private set; }

    private readonly List<SimulationPoint> _points = [];
    private readonly List<ClimbEvent> _events = [];
    private readonly List<(double At, int Size)> _verified = [];
    private readonly Dictionary<WorkKind, double> _kinds = [];

    /// <summary>Runs.</summary>
    /// <param name="controller">The controller.</param>
    /// <param name="curve">The curve at the beginning.</param>
    /// <param name="settings">The circumstances.</param>
    /// <param name="start">The size at the beginning, in threads.</param>
    /// <param name="seconds">Length, in virtual seconds.</param>
    /// <exception cref="InvalidOperationException">The controller decided what it may not.</exception>
    public static ClimbRun Run(IPoolController controller, CostCurve curve, SimulationSettings settings, int start, double seconds)
        => Run(_ => controller, curve, settings, start, seconds);

    /// <summary>Runs a controller that may look at the curve in force (an oracle).</summary>
    /// <param name="controller">Makes the controller; gets a look at the curve in force.</param>
    /// <param name="curve">The curve at the beginning.</param>
    /// <param name="settings">The circumstances.</param>
    /// <param name="start">The size at the beginning, in threads.</param>
    /// <param name="seconds">Length, in virtual seconds.</param>
    /// <exception cref="InvalidOperationException">The controller decided what it may not.</exception>
    public static ClimbRun Run(Func<Func<CostCurve>, IPoolController> controller, CostCurve curve, SimulationSettings settings, int start, double seconds)
    {
        var run = new ClimbRun(curve, settings, start, seconds);
        var pool = new SimulatedPool(curve, start, settings) { Points = run._points };
        run.Climb(controller(() => pool.Curve), pool);
        return run;
    }

    /// <summary>Runs the whole policy of a work class, as it ships.</summary>
    /// <param name="curve">The curve at the beginning.</param>
    /// <param name="settings">The circumstances.</param>
    /// <param name="start">The size at the beginning, in threads.</param>
    /// <param name="seconds">Length, in virtual seconds.</param>
    /// <param name="isInForce">Whether the start is in force at the beginning; otherwise it is what the user says, and the class begins as it does in a pool.</param>
    public static ClimbRun RunClass(CostCurve curve, SimulationSettings settings, int start, double seconds, bool isInForce = true)
    {
        var run = new ClimbRun(curve, settings, start, seconds);
        ClassSizeSettings sizing = CurveClass.Settings(curve, settings) with { Wished = isInForce ? 0 : start };
        int first = isInForce ? start : Math.Min(start, ClassSizeSettings.SmallSizeOf(CurveClass.CoresOf(curve)));
        var pool = new SimulatedPool(curve, first, settings) { Points = run._points };
        run.Climb(new CurveClass(pool, settings, sizing), pool);
        return run;
    }

    private void Climb(CurveClass c, SimulatedPool pool)
    {
        _points.Add(pool.Point);
        string state = "";
        int verified = 0;
        while (Seconds - pool.Now > Grain)
        {
            int before = pool.Target;
            double from = pool.Now;
            ClassDecision decision = c.Look(TimeSpan.FromSeconds(Math.Min(c.NextLook.TotalSeconds, Seconds - pool.Now)));
            Updates++;
            _kinds[c.Kind] = _kinds.GetValueOrDefault(c.Kind) + pool.Now - from;
            if (c.Verified != verified)
            {
                verified = c.Verified;
                _verified.Add((pool.Now, verified));
            }

            if (decision.Limit == before && decision.Reason == DecisionReason.Hold)
            {
                continue;
            }

            if (decision.Limit != before || c.State != state)
            {
                state = c.State;
                _events.Add(new(pool.Now, decision.Limit, decision.Limit != verified, decision.Reason, state)
                {
                    Gain = decision.Trace?.Gain ?? double.NaN,
                    Noise = decision.Trace?.Noise ?? double.NaN,
                });
            }

            _points.Add(pool.Point);
        }

        _points.Add(pool.Point);
    }

    private void Climb(IPoolController controller, SimulatedPool pool)
    {
        _points.Add(pool.Point);
        TimeSpan interval = s_firstInterval;
        string state = "";
        while (Seconds - pool.Now > Grain)
        {
            PoolSample sample = pool.Run(TimeSpan.FromSeconds(Math.Min(interval.TotalSeconds, Seconds - pool.Now)));
            SizeDecision decision = controller.Update(sample);
            Updates++;
            if (decision.Target < 1 || decision.Target > Settings.MaxTarget || decision.NextInterval <= TimeSpan.Zero)
            {
                throw new InvalidOperationException(FormattableString.Invariant(
                    $"{controller.GetType().Name} decided {decision.Target} threads for {decision.NextInterval} at {pool.Now:F3} s; 1 to {Settings.MaxTarget} threads for more than no time are allowed."));
            }

            if (decision.Target != pool.Target || decision.Trace.State != state)
            {
                state = decision.Trace.State;
                _events.Add(new(pool.Now, decision.Target, decision.IsTrial, decision.Reason, state)
                {
                    Gain = decision.Trace.Gain,
                    Noise = decision.Trace.Noise,
                });
            }

            pool.Target = decision.Target;
            interval = decision.NextInterval;
            _points.Add(pool.Point);
        }
    }
}
