namespace AdaptivePool.Tests.Faults;

/// <summary>
/// An item ends the process, which first disposes the pool, which waits for its items. On the runtime's pool such a process ends at once.
/// </summary>
public sealed class ExitInItemTests
{
    /// <summary>Who is inside of Environment.Exit ends with the process: a worker, or a thread that an item waits for.</summary>
    [Theory]
    [InlineData("worker")]
    [InlineData("other thread")]
    [InlineData("long running")]
    [InlineData("elastic")]
    public void Exit_DisposedWhenTheProcessExits_TheProcessEnds(string where)
    {
        using var child = new ChildRun("exit", where);
        child.End().ShouldBe(9);
    }

    [Fact]
    public void MainReturns_DisposedWhenTheProcessExits_AllWorkRunsFirst()
    {
        using var child = new ChildRun("exit", "main");
        child.Output().Trim().ShouldBe("2000");
        child.End().ShouldBe(8);
    }
}
