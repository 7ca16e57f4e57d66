namespace AdaptivePool.Control;

/// <summary>Tells whether a size is verified: the search for other sizes has come to rest at it twice since the search began. Further trials may then cost
/// only little (ADR 83, ADR 84). This is the one holder of that fact. A type that wraps a controller passes it on, too. A controller that never verifies a
/// size can use the default members.</summary>
internal interface ISizeVerifier
{
    /// <summary>The verified size, in threads; zero for none.</summary>
    int VerifiedSize => 0;

    /// <summary>Withdraws the verification: another size was set from outside, or the same size is to be measured again.</summary>
    void Doubt()
    {
    }
}
