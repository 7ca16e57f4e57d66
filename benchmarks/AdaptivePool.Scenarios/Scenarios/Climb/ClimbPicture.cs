using System.Globalization;
using AdaptivePool.Scenarios.Pictures;
using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Scenarios.Scenarios.Climb;

/// <summary>
/// A picture of runs on one curve from one start: the sizes, the throughput they brought and the states of the controllers, over one time axis; dashed what the
/// best size is and brings.
/// </summary>
public sealed class ClimbPicture
{
    private const double Width = 1200;
    private const double Left = 90;
    private const double Right = Width - 190;
    private const double Top = 92;
    private const double PanelHeight = 250;
    private const double Gap = 46;
    private const double StripHeight = 20;
    private const double StripGap = 6;
    private const double LegendHeight = 70;
    private const double Headroom = 1.12;
    private const double LogarithmicFrom = 12;
    private const int Bins = 400;
    private const string Change = "#9a6b00";

    private static readonly string[] s_stateColours = ["#9ecae1", "#fdd0a2", "#a1d99b", "#dadaeb", "#fcbba1", "#d9d9d9", "#fff3a3", "#c7e9c0"];

    private readonly IReadOnlyList<(string Pool, ClimbRun Run)> _runs;
    private readonly ClimbRun _first;
    private readonly PictureAxis _time;
    private readonly double _sizesBottom;
    private readonly double _ratesTop;
    private readonly double _ratesBottom;
    private readonly double _statesTop;
    private readonly double _statesBottom;
    private readonly SvgWriter _svg;
    private readonly List<string> _states = [];

    private ClimbPicture(IReadOnlyList<(string Pool, ClimbRun Run)> runs)
    {
        _runs = runs;
        _first = runs[0].Run;
        _time = new(0, _first.Seconds, Left, Right);
        _sizesBottom = Top + PanelHeight;
        _ratesTop = _sizesBottom + Gap;
        _ratesBottom = _ratesTop + PanelHeight;
        _statesTop = _ratesBottom + Gap;
        _statesBottom = _statesTop + (runs.Count * (StripHeight + StripGap));
        _svg = new(Width, _statesBottom + LegendHeight + Gap);
    }

    /// <summary>Draws runs of the same curve, start and length.</summary>
    /// <param name="runs">The runs and the names of their controllers.</param>
    public static string Draw(IReadOnlyList<(string Pool, ClimbRun Run)> runs) => new ClimbPicture(runs).Draw();

    private string Draw()
    {
        DrawTitle();
        DrawSizes();
        DrawRates();
        DrawStates();
        DrawChanges();
        DrawTimeAxis();
        DrawLegend();
        return _svg.End();
    }

    private void DrawTitle()
    {
        CostCurve curve = _first.Curve;
        SimulationSettings settings = _first.Settings;
        _svg.Text(Left, 34, $"Which size a controller takes on the curve '{curve.Name}', starting from {Count(_first.Start, "thread")}", size: 20,
            isBold: true);
        string offered = settings.ArrivalsPerSecond is { } perSecond
            ? string.Create(CultureInfo.InvariantCulture, $"{perSecond:#,##0.#} items offered per second") : "more work offered than any size can do";
        _svg.Text(Left, 58, string.Create(CultureInfo.InvariantCulture,
            $"Simulated, virtual time; seed {settings.Seed}; noise of {100 * settings.Noise:0.#} % per 100 ms, autocorrelation {settings.Correlation:0.##}; "
            + $"{offered}."), size: 13, colour: "#555555");
    }

    private void DrawSizes()
    {
        double highest = Headroom * Math.Max(_runs.Max(r => r.Run.Points.Max(p => p.Target)), Phases().Max(p => BestSize(p.Curve)));
        double lowest = Math.Min(_runs.Min(r => r.Run.Points.Min(p => p.Target)), Phases().Min(p => BestSize(p.Curve)));
        bool isLogarithmic = highest / lowest > LogarithmicFrom;
        PictureAxis size = new(isLogarithmic ? 0.8 * lowest : 0, isLogarithmic ? Headroom * highest : highest, _sizesBottom, Top, isLogarithmic);
        DrawPanel(size, Top, _sizesBottom, isLogarithmic ? "size, threads (logarithmic)" : "size, threads");
        foreach ((double from, double to, CostCurve curve) in Phases())
        {
            _svg.Line(_time.At(from), size.At(BestSize(curve)), _time.At(to), size.At(BestSize(curve)), PictureColours.Axis, 1.5, "7 5");
        }

        _svg.Text(Right + 8, size.At(BestSize(Phases()[^1].Curve)) + 4,
            string.Create(CultureInfo.InvariantCulture, $"N* = {BestSize(Phases()[^1].Curve):#,##0}, the best size"), size: 12, colour: PictureColours.Axis);
        for (int i = 0; i < _runs.Count; i++)
        {
            _svg.Path(Steps(_runs[i].Run.Points).Select(p => (_time.At(p.Time), size.At(p.Target))), Colour(i), 1.4, _runs.Count > 1 ? 0.85 : 1);
        }
    }

    private void DrawRates()
    {
        double best = Phases().Max(p => BestRate(p.Curve));
        PictureAxis rate = new(0, 1.25 * best, _ratesBottom, _ratesTop);
        DrawPanel(rate, _ratesTop, _ratesBottom, "throughput, items per second");
        foreach ((double from, double to, CostCurve curve) in Phases())
        {
            _svg.Line(_time.At(from), rate.At(BestRate(curve)), _time.At(to), rate.At(BestRate(curve)), PictureColours.Axis, 1.5, "7 5");
        }

        _svg.Text(Right + 8, rate.At(BestRate(Phases()[^1].Curve)) + 4,
            string.Create(CultureInfo.InvariantCulture, $"X* = {BestRate(Phases()[^1].Curve):#,##0}, its throughput"), size: 12, colour: PictureColours.Axis);
        if (_runs.Count == 1)
        {
            // What the controller saw, noise and all; with several controllers the dots would hide the lines.
            foreach ((double time, double seen) in Rates(_first.Points, p => p.Completed))
            {
                _svg.Dot(_time.At(time), rate.At(seen), 1.6, "#888888", 0.55);
            }
        }

        for (int i = 0; i < _runs.Count; i++)
        {
            _svg.Path(Rates(_runs[i].Run.Points, p => p.Delivered).Select(p => (_time.At(p.Time), rate.At(p.Rate))), Colour(i), 1.6, _runs.Count > 1 ? 0.85
                : 1);
        }
    }

    private void DrawStates()
    {
        _svg.Text(Left, _statesTop - 8, "state of each controller (colours below)", size: 13, isBold: true);
        for (int i = 0; i < _runs.Count; i++)
        {
            double y = _statesTop + (i * (StripHeight + StripGap));
            _svg.Text(Left - 8, y + 15, _runs[i].Pool, "end", 12, Colour(i), isBold: true);
            IReadOnlyList<ClimbEvent> events = _runs[i].Run.Events;
            int begin = 0;
            for (int k = 1; k <= events.Count; k++)
            {
                if (k < events.Count && StateOf(events[k]) == StateOf(events[begin]))
                {
                    continue;
                }

                double from = begin == 0 ? 0 : events[begin].Time;
                double to = k < events.Count ? events[k].Time : _first.Seconds;
                _svg.Box(_time.At(from), y, _time.At(to) - _time.At(from), StripHeight, StateColour(StateOf(events[begin])),
                    string.Create(CultureInfo.InvariantCulture, $"{StateOf(events[begin])}, {from:0.0} to {to:0.0} s"));
                begin = k;
            }
        }
    }

    private void DrawChanges()
    {
        foreach ((double from, _, CostCurve curve) in Phases().Skip(1))
        {
            _svg.Line(_time.At(from), Top, _time.At(from), _statesBottom, Change, 1.5, "2 3");
            _svg.Text(_time.At(from) + 5, _ratesTop - 6, $"the work changes to '{curve.Name}'", size: 12, colour: Change);
        }
    }

    private void DrawTimeAxis()
    {
        foreach (double tick in _time.Ticks())
        {
            _svg.Line(_time.At(tick), _statesBottom, _time.At(tick), _statesBottom + 5, PictureColours.Axis);
            _svg.Text(_time.At(tick), _statesBottom + 20, PictureAxis.Label(tick), "middle", 12);
        }

        _svg.Text((Left + Right) / 2, _statesBottom + 40, "time, seconds", "middle", 13, isBold: true);
    }

    private void DrawLegend()
    {
        double x = Left;
        double y = _statesBottom + 66;
        foreach (string state in _states)
        {
            _svg.Box(x, y - 12, 16, 14, StateColour(state));
            _svg.Text(x + 22, y, state, size: 12);
            x += 40 + (7.2 * state.Length);
        }

        y = Top - 12;
        x = Left;
        for (int i = 0; i < _runs.Count; i++)
        {
            _svg.Line(x, y - 4, x + 24, y - 4, Colour(i), 3);
            _svg.Text(x + 30, y, _runs[i].Pool, size: 12, isBold: true);
            x += 50 + (7.6 * _runs[i].Pool.Length);
        }

        _svg.Line(x, y - 4, x + 24, y - 4, PictureColours.Axis, 1.5, "7 5");
        _svg.Text(x + 30, y, "best possible", size: 12);
        if (_runs.Count == 1)
        {
            _svg.Dot(x + 136, y - 4, 2.5, "#888888", 0.8);
            _svg.Text(x + 144, y, "throughput with noise; the line is the curve's value for the size", size: 12);
        }
    }

    private void DrawPanel(PictureAxis axis, double top, double bottom, string name)
    {
        foreach (double tick in axis.Ticks())
        {
            _svg.Line(Left, axis.At(tick), Right, axis.At(tick), PictureColours.Grid);
            _svg.Text(Left - 8, axis.At(tick) + 4, PictureAxis.Label(tick), "end", 12);
        }

        foreach (double tick in _time.Ticks())
        {
            _svg.Line(_time.At(tick), top, _time.At(tick), bottom, PictureColours.Grid);
            _svg.Text(_time.At(tick), bottom + 16, PictureAxis.Label(tick), "middle", 11, "#777777");
        }

        _svg.Line(Left, top, Left, bottom, PictureColours.Axis);
        _svg.Line(Left, bottom, Right, bottom, PictureColours.Axis);
        _svg.Text(24, (top + bottom) / 2, name, "middle", 13, isBold: true, turned: true);
    }

    private List<(double From, double To, CostCurve Curve)> Phases()
    {
        List<(double, double, CostCurve)> phases = [];
        double from = 0;
        CostCurve curve = _first.Curve;
        foreach (WorkloadChange change in _first.Settings.Changes.Where(c => c.At < _first.Seconds))
        {
            phases.Add((from, change.At, curve));
            (from, curve) = (change.At, change.Curve);
        }

        phases.Add((from, _first.Seconds, curve));
        return phases;
    }

    private int BestSize(CostCurve curve) => _first.Settings.BestSize(curve);

    private double BestRate(CostCurve curve) => _first.Settings.BestRate(curve);

    private static IEnumerable<(double Time, int Target)> Steps(IReadOnlyList<SimulationPoint> points)
    {
        int target = points[0].Target;
        yield return (0, target);
        foreach (SimulationPoint point in points)
        {
            if (point.Target != target)
            {
                yield return (point.Time, target);
                target = point.Target;
                yield return (point.Time, target);
            }
        }

        yield return (points[^1].Time, target);
    }

    private IEnumerable<(double Time, double Rate)> Rates(IReadOnlyList<SimulationPoint> points, Func<SimulationPoint, double> sum)
    {
        double length = _first.Seconds / Bins;
        SimulationPoint last = points[0];
        foreach (SimulationPoint point in points)
        {
            if (point.Time - last.Time >= length)
            {
                yield return ((point.Time + last.Time) / 2, (sum(point) - sum(last)) / (point.Time - last.Time));
                last = point;
            }
        }
    }

    private string StateColour(string state)
    {
        if (!_states.Contains(state, StringComparer.Ordinal))
        {
            _states.Add(state);
        }

        return s_stateColours[_states.IndexOf(state) % s_stateColours.Length];
    }

    // A controller may add to its state where it came from; the picture shows where it is.
    private static string StateOf(ClimbEvent moment) => moment.State.Split(' ')[0];

    // Grey, which comes first elsewhere, is the last one here.
    private static string Colour(int index) => PictureColours.Of(index + 1);

    private static string Count(int number, string of) => string.Create(CultureInfo.InvariantCulture, $"{number:#,##0} {of}{(number == 1 ? "" : "s")}");
}
