using System.Globalization;

namespace AdaptivePool.Scenarios.Pictures;

/// <summary>One metric over the number of clients (logarithmic): a line through the medians of each pool, and from the lowest to the highest round at each
/// point.</summary>
public sealed class ClientCurvePicture
{
    private const double Width = 900;
    private const double Height = 480;
    private const double Left = 80;
    private const double Right = Width - 150;
    private const double Top = 70;
    private const double Bottom = Height - 70;
    private const double Headroom = 1.08;
    private const double LeastLabelDistance = 16;

    private readonly string _title;
    private readonly IReadOnlyList<ClientCurve> _curves;
    private readonly SvgWriter _svg = new(Width, Height);
    private readonly PictureAxis _clients;
    private readonly PictureAxis _values;

    private ClientCurvePicture(string title, IReadOnlyList<ClientCurve> curves)
    {
        _title = title;
        _curves = curves;
        int fewest = curves.Min(static curve => curve.Points[0].Clients);
        int most = curves.Max(static curve => curve.Points[^1].Clients);
        double highest = curves.Max(static curve => curve.Points.Max(static point => point.Values[^1]));
        _clients = new(fewest, Math.Max(most, 2 * fewest), Left, Right, IsLogarithmic: true);
        _values = new(0, highest > 0 ? Headroom * highest : 1, Bottom, Top);
    }

    /// <summary>Draws curves.</summary>
    /// <param name="title">The title.</param>
    /// <param name="curves">At least one.</param>
    public static string Draw(string title, IReadOnlyList<ClientCurve> curves) => new ClientCurvePicture(title, curves).Draw();

    private string Draw()
    {
        _svg.Text(Left, 36, _title, size: 18, isBold: true);
        DrawAxes();
        for (int i = 0; i < _curves.Count; i++)
        {
            DrawCurve(_curves[i], PictureColours.Of(i));
        }

        DrawNames();
        return _svg.End();
    }

    private void DrawAxes()
    {
        foreach (double tick in _values.Ticks())
        {
            _svg.Line(Left, _values.At(tick), Right, _values.At(tick), PictureColours.Grid);
            _svg.Text(Left - 8, _values.At(tick) + 4, PictureAxis.Label(tick), "end", 12);
        }

        foreach (int clients in _curves.SelectMany(static curve => curve.Points).Select(static point => point.Clients).Distinct())
        {
            _svg.Line(_clients.At(clients), Top, _clients.At(clients), Bottom, PictureColours.Grid);
            _svg.Text(_clients.At(clients), Bottom + 20, clients.ToString("#,##0", CultureInfo.InvariantCulture), "middle", 12);
        }

        _svg.Line(Left, Top, Left, Bottom, PictureColours.Axis);
        _svg.Line(Left, Bottom, Right, Bottom, PictureColours.Axis);
        _svg.Text((Left + Right) / 2, Bottom + 46, "clients (logarithmic)", "middle", 13, isBold: true);
        _svg.Text(22, (Top + Bottom) / 2, _curves[0].Unit, "middle", 13, isBold: true, turned: true);
    }

    private void DrawCurve(ClientCurve curve, string colour)
    {
        _svg.Path(curve.Points.Select(point => (_clients.At(point.Clients), _values.At(point.Median))), colour, 2.2);
        foreach (ClientCurvePoint point in curve.Points)
        {
            double x = _clients.At(point.Clients);
            _svg.Line(x, _values.At(point.Values[0]), x, _values.At(point.Values[^1]), colour, 1.4);
            _svg.Dot(x, _values.At(point.Median), 3.4, colour, 1);
        }
    }

    /// <summary>Names stand at the ends of their lines, moved apart where lines end together.</summary>
    private void DrawNames()
    {
        double lowest = double.NegativeInfinity;
        foreach (int i in Enumerable.Range(0, _curves.Count).OrderBy(i => _values.At(_curves[i].Points[^1].Median)))
        {
            double y = Math.Max(_values.At(_curves[i].Points[^1].Median) + 4, lowest + LeastLabelDistance);
            _svg.Text(_clients.At(_curves[i].Points[^1].Clients) + 10, y, _curves[i].Pool, size: 13, colour: PictureColours.Of(i), isBold: true);
            lowest = y;
        }
    }
}
