namespace AdaptivePool.Mutation;

/// <summary>Which files are mutated: what dispatches, waits, ends and admits.</summary>
internal static class Scope
{
    private static readonly string[] s_paths =
    [
        "src/AdaptivePool/Workers/", "src/AdaptivePool/Queues/", "src/AdaptivePool/Classes/", "src/AdaptivePool/Blocking/", "src/AdaptivePool/Admission/",
        "src/AdaptivePool/Adaptive", "src/AdaptivePool/AsyncItem", "src/AdaptivePool/WorkClass.cs", "src/AdaptivePool/Sizing/SizingLoop",
    ];

    public static bool Has(string path) =>
        Array.Exists(s_paths, p => path.StartsWith(p, StringComparison.Ordinal)) && !path.EndsWith("OptionsValidator.cs", StringComparison.Ordinal);
}
