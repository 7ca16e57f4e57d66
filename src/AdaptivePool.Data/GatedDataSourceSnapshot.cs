namespace AdaptivePool.Data;

/// <summary>The connections that a <see cref="GatedDataSource"/> keeps. All numbers are zero for a source that does not keep connections.</summary>
/// <param name="Open">The number of open connections, in use or idle.</param>
/// <param name="Idle">The number of open connections that are idle.</param>
/// <param name="Waiting">The number of callers that wait for a connection to be opened or returned.</param>
/// <param name="Opened">The number of connections opened so far.</param>
/// <param name="Discarded">
/// The number of connections discarded because they were broken, in an unknown state, could not be reset, or came back after the end of the source.
/// </param>
/// <param name="Expired">The number of connections closed because they were idle for too long.</param>
public sealed record GatedDataSourceSnapshot(int Open, int Idle, int Waiting, long Opened, long Discarded, long Expired);
