using System.Reflection;
using AdaptivePool.Control;

namespace AdaptivePool.Simulation.Controllers;

/// <summary>
/// The hill climbing of the runtime's own pool, called by reflection. It asks the runtime's pool how busy the machine is and does not grow at 95 %; here it is
/// told what the simulated machine says, or nothing. Its sample lengths are random; they get a seed here.
/// </summary>
public sealed class RuntimeController : IPoolController
{
    private const string PoolName = "System.Threading.PortableThreadPool";
    private const string ClimberName = "HillClimbing";
    private const string UpdateName = "Update";
    private const string InstanceName = "ThreadPoolInstance";
    private const string UtilisationName = "_cpuUtilization";
    private const BindingFlags Everything = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
    private const string GeneratorName = "_randomIntervalGenerator";
    private const string FirstSampleName = "_currentSampleMs";
    private const int Percent = 100;

    // The runtime's default bounds of a sample, in milliseconds.
    private const int ShortestSample = 10;
    private const int LongestSample = 200;

    private static readonly Type? s_pool = typeof(object).Assembly.GetType(PoolName);
    private static readonly Type? s_climber = s_pool?.GetNestedType(ClimberName, Everything);
    private static readonly object? s_instance = s_pool?.GetField(InstanceName, Everything)?.GetValue(null);
    private static readonly FieldInfo? s_utilisation = s_pool?.GetField(UtilisationName, Everything);
    private readonly Func<int, double, int, (int Threads, int Milliseconds)> _update;

    /// <summary>Creates a climber of its own, apart from the one that the runtime's pool uses.</summary>
    /// <param name="seed">Seed of its sample lengths.</param>
    /// <exception cref="PlatformNotSupportedException">This runtime has no such type.</exception>
    public RuntimeController(int seed = 1)
    {
        if (WhyUnavailable is { } why)
        {
            throw new PlatformNotSupportedException(why);
        }

        object climber = Activator.CreateInstance(s_climber!, nonPublic: true)!;
        _update = Method!.CreateDelegate<Func<int, double, int, (int Threads, int Milliseconds)>>(climber);
        Seed(climber, new Random(seed));
    }

    /// <summary>Why this runtime's climber cannot be used; null when it can.</summary>
    public static string? WhyUnavailable { get; } =
        s_climber is null ? $"This runtime has no {PoolName}+{ClimberName}."
        : Method is null ? $"{PoolName}+{ClimberName} of this runtime has no {UpdateName}(int, double, int) that returns (int, int)."
        : s_instance is null || s_utilisation?.FieldType != typeof(int) ? $"{PoolName} of this runtime has no field {UtilisationName}."
        : null;

    private static MethodInfo? Method
        => s_climber?.GetMethod(UpdateName, Everything, [typeof(int), typeof(double), typeof(int)]) is { } method && method.ReturnType == typeof((int, int))
            ? method : null;

    // Its generator is a raw one of four words of state. A runtime without these fields climbs as well, only differently each time.
    private static void Seed(object climber, Random random)
    {
        object? generator = s_climber!.GetField(GeneratorName, Everything)?.GetValue(climber);
        foreach (FieldInfo word in generator?.GetType().GetFields(Everything).Where(f => f.FieldType == typeof(ulong)) ?? [])
        {
            word.SetValue(generator, (ulong)random.NextInt64(1, long.MaxValue));
        }

        s_climber.GetField(FirstSampleName, Everything)?.SetValue(climber, random.Next(ShortestSample, LongestSample + 1));
    }

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        int before = sample.Target;
        s_utilisation!.SetValue(s_instance, double.IsNaN(sample.Utilisation) ? 0 : (int)(Percent * sample.Utilisation));
        (int threads, int milliseconds) = _update(before, sample.Elapsed.TotalSeconds, (int)Math.Min(sample.Completions, int.MaxValue));
        int target = Math.Clamp(threads, sample.MinTarget, sample.MaxTarget);
        DecisionReason reason = target == before ? DecisionReason.Hold : DecisionReason.Wave;
        var interval = TimeSpan.FromMilliseconds(Math.Max(1, milliseconds));
        return new(target, interval, reason, new ControllerTrace { From = before, To = target, Reason = reason, State = "Runtime" });
    }

    /// <inheritdoc/>
    public void Reinitialize(int target, DecisionReason reason)
    {
        // The runtime's climber sees by itself that somebody else changed the size.
    }
}
