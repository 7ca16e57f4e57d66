using AdaptivePool.Stacks;

namespace AdaptivePool.Tests.Stacks;

public sealed class MethodNameRuleTests
{
    [Theory]
    [InlineData("Bank.LegacyClient", "Get", "Bank.LegacyClient.Get")]
    [InlineData("Bank.LegacyClient+<Get>d__3", "MoveNext", "Bank.LegacyClient.Get")]
    [InlineData("Bank.Cache`1", "Load", "Bank.Cache.Load")]
    [InlineData("Bank.Outer+Inner", "Get", "Bank.Outer.Inner.Get")]
    [InlineData("Program+<>c", "<<Main>$>b__0_0", "Program.Main (lambda)")]
    [InlineData("Program", "<Main>$", "Program.Main")]
    [InlineData("Program", "<<Main>$>g__Load|0_1", "Program.Main.Load")]
    [InlineData("Program+<<<Main>$>g__Load|0_1>d", "MoveNext", "Program.Main.Load")]
    [InlineData("Program+<>c+<<<Main>$>b__0_0>d", "MoveNext", "Program.Main (lambda)")]
    [InlineData("Bank.Api+<>c__DisplayClass0_0", "<Map>b__1", "Bank.Api.Map (lambda)")]
    [InlineData("Bank.Api+<>c+<<Map>b__0_0>d", "MoveNext", "Bank.Api.Map (lambda)")]
    [InlineData("Bank.Api", "<Map>g__Load|0_0", "Bank.Api.Map.Load")]
    [InlineData("Bank.Api+<<Map>g__Load|0_0>d", "MoveNext", "Bank.Api.Map.Load")]
    [InlineData("Bank.Enumerator", "MoveNext", "Bank.Enumerator.MoveNext")]
    public void Of_NamesOfTheCompiler_AreThoseOfTheSource(string type, string method, string expected) => MethodNameRule.Of(type, method).ShouldBe(expected);
}
