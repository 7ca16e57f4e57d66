namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>What one turn showed.</summary>
/// <param name="Tps">Transactions per second.</param>
/// <param name="P99Inside">99th percentile of the time inside the gate in milliseconds; NaN when nothing ended.</param>
public readonly record struct ClientTurn(double Tps, double P99Inside);
