namespace AdaptivePool.Tests.Contracts.Parity;

/// <summary>Code that observes something and tells it as a text: always the same one on the runtime's pool.</summary>
/// <param name="Name">What is observed.</param>
/// <param name="Body">Runs inside the route, by many callers at once.</param>
/// <param name="Repeats">How often in all; few for what takes milliseconds.</param>
internal sealed record ParityCase(string Name, Func<ParityRoute, Task<string>> Body, int Repeats = 400);
