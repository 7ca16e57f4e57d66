namespace AdaptivePool.Scenarios.Pictures;

/// <summary>
/// A row for each case: a dot at the median of each series, a thick line from the lower to the upper quartile of the rounds, a thin one from the lowest to the
/// highest. Logarithmic where the values differ by more than <see cref="LinearUpTo"/> times.
/// </summary>
public sealed class RowPicture
{
    /// <summary>Ratio of the highest to the lowest value up to which equal differences are equally far apart.</summary>
    public const double LinearUpTo = 10;

    private const double Width = 900;
    private const double Left = 190;
    private const double Right = Width - 40;
    private const double Top = 84;
    private const double SeriesHeight = 13;
    private const double RowGap = 11;
    private const double BottomSpace = 62;
    private const double Margin = 1.08;

    private readonly string _title;
    private readonly IReadOnlyList<RowMark> _marks;
    private readonly IReadOnlyList<string> _rows;
    private readonly IReadOnlyList<string> _series;
    private readonly double? _line;
    private readonly double _bottom;
    private readonly SvgWriter _svg;
    private readonly PictureAxis _values;

    private RowPicture(string title, IReadOnlyList<RowMark> marks, double? line)
    {
        (_title, _marks, _line) = (title, marks, line);
        _rows = [.. marks.Select(static mark => mark.Row).Distinct(StringComparer.Ordinal)];
        _series = [.. marks.Select(static mark => mark.Series).Distinct(StringComparer.Ordinal)];
        _bottom = Top + (_rows.Count * ((_series.Count * SeriesHeight) + RowGap));
        _svg = new(Width, _bottom + BottomSpace);
        double lowest = Math.Min(marks.Min(static mark => mark.Values[0]), line ?? double.PositiveInfinity);
        double highest = Math.Max(marks.Max(static mark => mark.Values[^1]), line ?? double.NegativeInfinity);
        bool isLogarithmic = lowest > 0 && highest > LinearUpTo * lowest;
        double room = (Margin - 1) * (highest - lowest);

        // What is compared with a line needs no zero.
        double from = isLogarithmic ? lowest / Margin : line is null ? Math.Min(0, lowest) : lowest - room;
        double to = isLogarithmic ? highest * Margin : highest + room;
        _values = new(from, to > from ? to : from + 1, Left, Right, isLogarithmic);
    }

    /// <summary>Draws rows.</summary>
    /// <param name="title">The title.</param>
    /// <param name="marks">At least one.</param>
    /// <param name="line">A value that all are compared with; null for none.</param>
    public static string Draw(string title, IReadOnlyList<RowMark> marks, double? line = null) => new RowPicture(title, marks, line).Draw();

    private string Draw()
    {
        _svg.Text(Left, 32, _title, size: 18, isBold: true);
        DrawNames();
        DrawAxis();
        for (int row = 0; row < _rows.Count; row++)
        {
            DrawRow(row);
        }

        return _svg.End();
    }

    private void DrawNames()
    {
        double x = Left;
        for (int i = 0; i < _series.Count; i++)
        {
            _svg.Dot(x, 56, 4, PictureColours.Of(i), 1);
            _svg.Text(x + 10, 60, _series[i], size: 13, colour: PictureColours.Of(i), isBold: true);
            x += 40 + (7.2 * _series[i].Length);
        }
    }

    private void DrawAxis()
    {
        foreach (double tick in _values.Ticks())
        {
            _svg.Line(_values.At(tick), Top, _values.At(tick), _bottom, PictureColours.Grid);
            _svg.Text(_values.At(tick), _bottom + 18, PictureAxis.Label(tick), "middle", 12);
        }

        if (_line is { } line)
        {
            _svg.Line(_values.At(line), Top, _values.At(line), _bottom, PictureColours.Axis, 1.4);
        }

        string unit = _marks[0].Unit;
        _svg.Text((Left + Right) / 2, _bottom + 44, _values.IsLogarithmic ? $"{unit} (logarithmic)" : unit, "middle", 13, isBold: true);
    }

    private void DrawRow(int row)
    {
        double top = Top + (row * ((_series.Count * SeriesHeight) + RowGap));
        double middle = top + (_series.Count * SeriesHeight / 2) + (RowGap / 2);
        _svg.Text(Left - 10, middle + 4, _rows[row], "end", 13);
        foreach (RowMark mark in _marks.Where(mark => mark.Row == _rows[row]))
        {
            int series = Enumerable.Range(0, _series.Count).First(i => _series[i] == mark.Series);
            double y = top + (RowGap / 2) + ((series + 0.5) * SeriesHeight);
            string colour = PictureColours.Of(series);
            _svg.Line(_values.At(mark.Values[0]), y, _values.At(mark.Values[^1]), y, colour, 1);
            _svg.Line(_values.At(mark.LowerQuartile), y, _values.At(mark.UpperQuartile), y, colour, 4);
            _svg.Dot(_values.At(mark.Median), y, 4, colour, 1);
        }
    }
}
