using AdaptivePool.Internal;
using AdaptivePool.Stacks;

namespace AdaptivePool.Dispatch;

/// <summary>What is done about a wait where blocking is not wanted.</summary>
internal static class Findings
{
    /// <summary>Throws, or notes the finding for the monitor. On the thread that waits.</summary>
    /// <exception cref="BlockingNotAllowedException">It is to be thrown, and here it may be.</exception>
    public static void Object<TSync>(WorkerSet<TSync> set, BlockingAction wanted, WaitSite site, string className)
        where TSync : struct, ISync
    {
        BlockingAction action = StrictRule.Decide(wanted, site);
        if (action == BlockingAction.Throw)
        {
            throw new BlockingNotAllowedException(site.Method, site.Kind, className);
        }

        if (action == BlockingAction.Warn && set.Blockers.Get(site.Method, site.Kind, null, className).NoteFinding())
        {
            set.Blockers.NoteFindings();
            set.OnFinding();
        }
    }
}
