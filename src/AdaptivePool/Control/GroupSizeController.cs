namespace AdaptivePool.Control;

/// <summary>
/// Gives each class as many threads as all groups may run at once, whatever is measured. It makes all decisions, so that the rules for stalls and hogs still
/// apply.
/// </summary>
/// <param name="option">Name of the option that asks for this controller.</param>
/// <param name="threads">Returns the size at this moment, because the number of groups may change.</param>
internal sealed class GroupSizeController(string option, Func<int> threads) : IWholeController
{
    public bool DecidesWhole => true;

    /// <summary>Threads of all groups together.</summary>
    /// <param name="groups">Number of groups.</param>
    /// <param name="oversubscribe">Threads of a group in addition to the first.</param>
    /// <param name="maxThreads">The pool's maximum.</param>
    public static int Size(int groups, int oversubscribe, int maxThreads) => (int)Math.Min(maxThreads, (long)groups * (1 + oversubscribe));

    public SizeDecision Update(in PoolSample sample) => FixedController.Decide(threads(), option, sample);

    public void Reinitialize(int target, DecisionReason reason)
    {
        // Nothing was learned that could be forgotten.
    }
}
