namespace AdaptivePool.Tests.ModelChecking;

/// <summary>Mutants that no program can kill, and why the operation stays as strong as it is.</summary>
internal static class HarmlessMutants
{
    private const string AtomicityOnly = "only its atomicity is needed; .NET has no cheaper update";

    public static IReadOnlyDictionary<string, string> Reasons { get; } = new Dictionary<string, string>(StringComparer.Ordinal)
    {
        ["deque: Push VolatileRead Unordered"] = "keeps the new item from being written before a thief has read the old one: a store before a load, which the checker's memory does not contain; ARM64 does",
        ["deque: TryPop Exchange Split"] = "only the owner writes bottom; the exchange is there for its fence",
        ["deque: TryPop CompareExchange Unordered"] = AtomicityOnly,
        ["deque: TrySteal CompareExchange Unordered"] = "for the checker only its atomicity; its release is the other end of the first line here",
        ["deque: Trim VolatileWrite Unordered"] = "a thief that sees the new, empty array loses its compare-exchange; the runtime itself publishes a new object's content with its reference",
        ["futex: Park CompareExchange Unordered"] = AtomicityOnly,
        ["futex: Park Exchange NoFence"] = "acquire is enough; .NET has no such update",
        ["futex: Park Exchange Split"] = "a store and a full fence would do as well",
        ["futex: Unpark Exchange NoFence"] = "release is enough; .NET has no such update",
        ["idle: Push Increment Unordered"] = AtomicityOnly,
        ["idle: Push CompareExchange NoFence"] = "release is enough: the fence of the protocol follows in LieDown",
        ["idle: TryPop CompareExchange Unordered"] = AtomicityOnly,
        ["idle: TryPop Decrement Unordered"] = AtomicityOnly,
        ["lanes: Lane CompareExchange Unordered"] = "the queue inside is trusted, its content included",
        ["limit: Reacquire Increment Unordered"] = AtomicityOnly,
        ["wake: EnsureWorker CompareExchange Unordered"] = AtomicityOnly,
        ["wake: EnsureWorker CompareExchange Split"] = "two searchers at once cost a useless wake and lose none: each looks again after giving the token back",
    };
}
