namespace AdaptivePool.Hosting.Tests.Samples;

/// <summary>The same bank without our pool: the baseline of the comparison must be right too.</summary>
public sealed class RuntimeBankFixture : BankFixture
{
    protected override bool UseAdaptivePool => false;
}
