namespace AdaptivePool.Scenarios.Pictures;

/// <summary>Colours of all pictures; those of series are told apart without red and green (Okabe and Ito).</summary>
public static class PictureColours
{
    /// <summary>Lines behind what is drawn.</summary>
    public const string Grid = "#e6e6e6";

    /// <summary>Axes, and what all is compared with.</summary>
    public const string Axis = "#444444";

    private static readonly string[] s_colours = ["#666666", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

    /// <summary>The colour of a series.</summary>
    /// <param name="index">Its number, from 0; the eighth has that of the first.</param>
    public static string Of(int index) => s_colours[index % s_colours.Length];
}
