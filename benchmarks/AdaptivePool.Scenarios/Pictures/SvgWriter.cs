using System.Globalization;
using System.Net;
using System.Text;

namespace AdaptivePool.Scenarios.Pictures;

/// <summary>Writes the few shapes that a picture needs.</summary>
public sealed class SvgWriter
{
    private readonly StringBuilder _text = new();

    /// <summary>Begins a picture.</summary>
    public SvgWriter(double width, double height)
    {
        Add($"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">");
        Box(0, 0, width, height, "#ffffff");
    }

    /// <summary>A filled box.</summary>
    public void Box(double x, double y, double width, double height, string colour, string? title = null)
    {
        string inside = title is null ? "/>" : $"><title>{WebUtility.HtmlEncode(title)}</title></rect>";
        Add($"<rect x=\"{x:0.##}\" y=\"{y:0.##}\" width=\"{Math.Max(0, width):0.##}\" height=\"{height:0.##}\" fill=\"{colour}\"{inside}");
    }

    /// <summary>A straight line.</summary>
    public void Line(double x1, double y1, double x2, double y2, string colour, double width = 1, string dashes = "")
        => Add($"<line x1=\"{x1:0.##}\" y1=\"{y1:0.##}\" x2=\"{x2:0.##}\" y2=\"{y2:0.##}\" stroke=\"{colour}\" stroke-width=\"{width:0.##}\"{Dashes(dashes)}/>");

    /// <summary>A line through points.</summary>
    public void Path(IEnumerable<(double X, double Y)> points, string colour, double width, double opacity = 1, string dashes = "")
    {
        string list = string.Join(' ', points.Select(p => string.Create(CultureInfo.InvariantCulture, $"{p.X:0.##},{p.Y:0.##}")));
        Add($"<polyline points=\"{list}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width:0.##}\" stroke-opacity=\"{opacity:0.##}\" stroke-linejoin=\"round\"{Dashes(dashes)}/>");
    }

    /// <summary>A dot.</summary>
    public void Dot(double x, double y, double radius, string colour, double opacity)
        => Add($"<circle cx=\"{x:0.##}\" cy=\"{y:0.##}\" r=\"{radius:0.##}\" fill=\"{colour}\" fill-opacity=\"{opacity:0.##}\"/>");

    /// <summary>A text.</summary>
    /// <param name="x">Where.</param>
    /// <param name="y">Its base line.</param>
    /// <param name="text">What it says.</param>
    /// <param name="anchor"><c>start</c>, <c>middle</c> or <c>end</c>.</param>
    /// <param name="size">Size, in pixels.</param>
    /// <param name="colour">Colour.</param>
    /// <param name="isBold">Whether bold.</param>
    /// <param name="turned">Turned to the left by a right angle.</param>
    public void Text(double x, double y, string text, string anchor = "start", double size = 13, string colour = "#222222", bool isBold = false, bool turned = false)
    {
        string turn = turned ? string.Create(CultureInfo.InvariantCulture, $" transform=\"rotate(-90 {x:0.##} {y:0.##})\"") : "";
        Add($"<text x=\"{x:0.##}\" y=\"{y:0.##}\" text-anchor=\"{anchor}\" font-size=\"{size:0.##}\" fill=\"{colour}\"{(isBold ? " font-weight=\"bold\"" : "")}{turn}>{WebUtility.HtmlEncode(text)}</text>");
    }

    /// <summary>Ends the picture.</summary>
    public string End() => _text.Append("</svg>\n").ToString();

    private static string Dashes(string dashes) => dashes.Length > 0 ? $" stroke-dasharray=\"{dashes}\"" : "";

    private void Add(FormattableString line) => _text.Append(line.ToString(CultureInfo.InvariantCulture)).Append('\n');
}
