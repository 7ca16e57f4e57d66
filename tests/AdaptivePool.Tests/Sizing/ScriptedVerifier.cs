using AdaptivePool.Control;

namespace AdaptivePool.Tests.Sizing;

/// <summary>A size is verified when the test says so.</summary>
internal sealed class ScriptedVerifier : ISizeVerifier
{
    public int VerifiedSize { get; set; }

    public void Doubt() => VerifiedSize = 0;
}
