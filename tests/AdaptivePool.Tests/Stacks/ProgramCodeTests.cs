using AdaptivePool.Stacks;

namespace AdaptivePool.Tests.Stacks;

public sealed class ProgramCodeTests
{
    /// <summary>Code that was made at run time has a method, and may have neither an assembly nor a type.</summary>
    [Theory]
    [InlineData("", "")]
    [InlineData("", "Made")]
    [InlineData("Made", "")]
    public void OriginOf_FrameWithoutAssemblyOrType_IsGenerated(string assembly, string type) =>
        new ProgramCode(null, "Program").OriginOf(new FrameName(assembly, type, "Run")).ShouldBe(CodeOrigin.Generated);

    [Fact]
    public void OriginOf_TheShortestNames_IsThatOfTheProgram() =>
        new ProgramCode(null, "P").OriginOf(new FrameName("P", "T", "M")).ShouldBe(CodeOrigin.Application);
}
