namespace AdaptivePool.Data;

/// <summary>The connections of a <see cref="GatedDataSource"/> that keeps them; all zero for one that does not.</summary>
/// <param name="Open">Connections open, in use or idle.</param>
/// <param name="Idle">Of these, idle.</param>
/// <param name="Waiting">Users that wait for one to be opened or given back.</param>
/// <param name="Opened">Connections opened so far.</param>
/// <param name="Discarded">Connections thrown away because they were broken, in an unknown state, or could not be reset.</param>
/// <param name="Expired">Connections closed because they were idle for too long.</param>
public sealed record GatedDataSourceSnapshot(int Open, int Idle, int Waiting, long Opened, long Discarded, long Expired);
