namespace AdaptivePool.Tests.ModelChecking;

/// <summary>
/// Mutants that no program over a part can kill, and why the operation stays as strong as it is. Empty is best: an update that needs less order says so by its
/// name, and then has no such mutant.
/// </summary>
internal static class HarmlessMutants
{
    public static IReadOnlyDictionary<string, string> Reasons { get; } = new Dictionary<string, string>(StringComparer.Ordinal)
    {
        ["deque: TryPopOldest CompareExchange Unordered"] = "orders the owner's next look at the sleepers: WholeMutationTests kills it",
        ["leases: ToList Increment Split"] = "two looks with one number are one look; the full fence is needed",
    };
}
