namespace AdaptivePool.Control;

/// <summary>Knows whether a size is verified: looking at others has come to rest in place twice since it began anew, and what is tried from then on may cost
/// only little (ADR 83, ADR 84). The one holder of that fact; whoever passes a controller on passes it on, too. Of one that never verifies a size
/// nothing need be said.</summary>
internal interface ISizeVerifier
{
    /// <summary>The size that is verified, in threads; zero for none.</summary>
    int VerifiedSize => 0;

    /// <summary>No size is verified any more: another one was set from outside, or the same one is to be measured anew.</summary>
    void Doubt()
    {
    }
}
