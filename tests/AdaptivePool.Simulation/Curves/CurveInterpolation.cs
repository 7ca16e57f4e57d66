namespace AdaptivePool.Simulation.Curves;

/// <summary>What lies between the rows of a table.</summary>
public enum CurveInterpolation
{
    /// <summary>Straight lines.</summary>
    Linear,

    /// <summary>A cubic spline that never leaves the range of its neighbouring rows: no top that the table does not have.</summary>
    MonotoneSpline,

    /// <summary>A natural cubic spline: smoother, and free to swing over its rows.</summary>
    NaturalSpline,
}
