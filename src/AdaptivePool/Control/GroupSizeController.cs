namespace AdaptivePool.Control;

/// <summary>
/// Gives each class as many threads as all groups may run at once, whatever is measured. It decides whole, so that stalls and hogs are still seen to.
/// </summary>
/// <param name="option">Name of the option that asks for it.</param>
/// <param name="threads">The size at this moment: the number of groups may change.</param>
internal sealed class GroupSizeController(string option, Func<int> threads) : IWholeController
{
    public bool DecidesWhole => true;

    /// <summary>Threads of all groups together.</summary>
    /// <param name="groups">How many groups there are.</param>
    /// <param name="oversubscribe">Threads of a group beside the first.</param>
    /// <param name="maxThreads">Most threads of the pool.</param>
    public static int Size(int groups, int oversubscribe, int maxThreads) => (int)Math.Min(maxThreads, (long)groups * (1 + oversubscribe));

    public SizeDecision Update(in PoolSample sample) => FixedController.Decide(threads(), option, sample);

    public void Reinitialize(int target, DecisionReason reason)
    {
        // Nothing was learned that could be forgotten.
    }
}
