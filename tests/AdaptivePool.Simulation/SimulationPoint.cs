using System.Runtime.InteropServices;

namespace AdaptivePool.Simulation;

/// <summary>A moment of a run.</summary>
/// <param name="Time">Virtual time, in seconds.</param>
/// <param name="Target">Size in force from then on.</param>
/// <param name="Rate">Completions per second at that moment, without noise.</param>
/// <param name="Delivered">Completions so far, without noise.</param>
/// <param name="Ideal">What the best size would have delivered by then.</param>
/// <param name="Completed">Completions so far, with the noise of the ticks.</param>
[StructLayout(LayoutKind.Auto)]
public readonly record struct SimulationPoint(double Time, int Target, double Rate, double Delivered, double Ideal, double Completed);
