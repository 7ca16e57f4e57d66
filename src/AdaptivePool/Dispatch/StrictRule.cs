using AdaptivePool.Stacks;

namespace AdaptivePool.Dispatch;

/// <summary>
/// What a strict class does about a wait. Throwing is for waits that the program's own code calls and that are written to fail (they can be interrupted or
/// cancelled). It is not for locks: an exception out of a lock statement, or out of the framework's own waits, would leave half-done what nobody expects to be
/// interrupted.
/// </summary>
internal static class StrictRule
{
    public static BlockingAction Decide(BlockingAction wanted, WaitSite site) =>
        site.IsOwn ? BlockingAction.Ignore
        : wanted == BlockingAction.Throw && !(site.IsDirect && (site.Primitive is WaitPrimitive.Task or WaitPrimitive.Event)) ? BlockingAction.Warn
        : wanted;
}
