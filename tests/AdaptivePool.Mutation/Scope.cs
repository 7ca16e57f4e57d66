namespace AdaptivePool.Mutation;

/// <summary>Which files are mutated: what dispatches, waits, ends and admits.</summary>
internal static class Scope
{
    /// <summary>The projects that are compiled with mutants; each after those that it uses.</summary>
    public static IReadOnlyList<string> Projects { get; } = ["AdaptivePool", "AdaptivePool.Data", "AdaptivePool.EntityFrameworkCore", "AdaptivePool.Hosting"];

    /// <summary>What some of them use besides, as it is.</summary>
    public static string Balancing => "AdaptivePool.Balancing";

    private static readonly string[] s_paths =
    [
        "src/AdaptivePool/Dispatch/", "src/AdaptivePool/Stacks/", "src/AdaptivePool/Sensing/ThreadProbe", "src/AdaptivePool/Intake",
            "src/AdaptivePool/Housekeeping/",
        "src/AdaptivePool/Blocking/", "src/AdaptivePool/Admission/",
        "src/AdaptivePool.Data/", "src/AdaptivePool.EntityFrameworkCore/", "src/AdaptivePool.Hosting/", "src/AdaptivePool/Adaptive",
            "src/AdaptivePool/WorkClass.cs", "src/AdaptivePool/Sizing/SizingLoop",
    ];

    public static bool Has(string path) =>
        Array.Exists(s_paths, p => path.StartsWith(p, StringComparison.Ordinal)) && !path.EndsWith("OptionsValidator.cs", StringComparison.Ordinal);
}
