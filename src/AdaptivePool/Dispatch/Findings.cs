using AdaptivePool.Stacks;

namespace AdaptivePool.Dispatch;

/// <summary>
/// What is done about a wait where blocking is not wanted. Throwing is for waits that the program's own code calls and that are written to fail (they can be
/// interrupted or cancelled). It is not for locks: an exception out of a lock statement, or out of the framework's own waits, would leave half done what no
/// caller expects to be interrupted.
/// </summary>
internal static class Findings
{
    /// <summary>Throws, or notes the finding for the monitor. Called on the thread that waits.</summary>
    /// <exception cref="BlockingNotAllowedException">The class wants the exception, and this wait may throw.</exception>
    public static void Object<TSync>(WorkerSet<TSync> set, BlockingAction wanted, WaitSite site, string className)
        where TSync : struct, ISync
    {
        BlockingAction action = Decide(wanted, site);
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

    /// <summary>What is done about a wait when the class wants the given action.</summary>
    public static BlockingAction Decide(BlockingAction wanted, WaitSite site) =>
        site.IsOwn ? BlockingAction.Ignore
        : wanted == BlockingAction.Throw && !site.MayThrow ? BlockingAction.Warn
        : wanted;
}
