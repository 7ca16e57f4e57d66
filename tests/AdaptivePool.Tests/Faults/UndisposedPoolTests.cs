namespace AdaptivePool.Tests.Faults;

/// <summary>A program that does not dispose its pool ends all the same: no thread of a pool keeps the process.</summary>
public sealed class UndisposedPoolTests
{
    [Fact]
    public void Main_ReturnsWithoutDisposing_TheProcessEnds()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory();
        try
        {
            using var child = new ChildRun("leave", folder.FullName);
            child.End().ShouldBe(7);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
