using AdaptivePool.Sample.Cluster;

namespace AdaptivePool.Yarp.Tests.Samples;

public sealed class ClusterArgumentsTests
{
    [Theory]
    [InlineData("'foo' is unknown.", "foo")]
    [InlineData("'--fast' is unknown.", "--fast", "1")]
    [InlineData("'extra' is unknown.", "--rate", "100", "extra")]
    [InlineData("--rate wants a value.", "--rate")]
    [InlineData("--rate is '0'; wanted: 1 to 2000.", "--rate", "0")]
    [InlineData("--front is 'nginx'; wanted: yarp or haproxy.", "--front", "nginx")]
    [InlineData("--policies is empty.", "--policies", ",")]
    [InlineData("--policies: 'agent' is unknown to yarp; wanted: Collaborative, ", "--policies", "agent")]
    public void Parse_WrongArgument_SaysWhatIsWrong(string message, params string[] args) =>
        Should.Throw<UsageException>(() => ClusterArguments.Parse(args)).Message.ShouldStartWith(message);

    [Fact]
    public void Parse_GoodArguments_HasThem()
    {
        ClusterArguments arguments = ClusterArguments.Parse(["--front", "haproxy", "--policies", "agent, leastconn", "--rate", "2000", "--seconds", "5"]);
        (arguments.Front, arguments.Rate, arguments.Seconds, arguments.Rounds).ShouldBe(("haproxy", 2000, 5, 1));
        arguments.Policies.ShouldBe(["agent", "leastconn"]);
    }
}
