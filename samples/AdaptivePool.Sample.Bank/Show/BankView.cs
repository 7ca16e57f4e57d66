using AdaptivePool.Sample.Bank.Threads;

namespace AdaptivePool.Sample.Bank.Show;

/// <summary>One bank on the page.</summary>
/// <param name="Name">"adaptive" or "runtime".</param>
/// <param name="Pool">Its pool; null before the first report.</param>
/// <param name="Hello">How long /hello takes.</param>
/// <param name="Health">How long the health probe takes.</param>
/// <param name="Connections">Connections that block it now.</param>
/// <param name="SecondsLeft">How long they go on.</param>
/// <param name="PartnerAnswers">Answers of /partner since the load began.</param>
/// <param name="LegacyAnswers">Answers of /legacy since the load began.</param>
internal sealed record BankView(
    string Name, PoolReport? Pool, LatencyReport Hello, LatencyReport Health, int Connections, double SecondsLeft, long PartnerAnswers, long LegacyAnswers);
