namespace AdaptivePool.Housekeeping;

/// <summary>What one look of the audit sees.</summary>
/// <param name="IsHeldUp">Whether work waits that may run, beside an idle worker.</param>
/// <param name="Heartbeats">Changes whenever an item starts or ends anywhere.</param>
/// <param name="Wakes">Changes whenever a worker is woken for work.</param>
/// <param name="IsOnTheWay">Whether a thread is on the way to that work: a thread that owes a wake, or a worker that neither sleeps nor runs an item.</param>
internal readonly record struct AuditLook(bool IsHeldUp, long Heartbeats, long Wakes, bool IsOnTheWay);
