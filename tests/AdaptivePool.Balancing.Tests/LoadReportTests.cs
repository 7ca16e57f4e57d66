namespace AdaptivePool.Balancing.Tests;

public sealed class LoadReportTests
{
    [Fact]
    public void Text_OfEachPart_ReadsBack()
    {
        LoadReport full = new()
        {
            Run = 7,
            Sequence = 12,
            Point = new OverloadPoint(912.5),
            InFlight = 91,
            ServiceTime = TimeSpan.FromMicroseconds(104_200),
            ServiceTimeAnswers = 39,
        };
        LoadReport bare = new() { Run = 0, Sequence = 0 };
        full.ToString().ShouldBe("run=7; seq=12; op=912.5; rif=91; us=104200; n=39");
        LoadReport.TryParse(full.ToString(), out LoadReport read).ShouldBeTrue();
        read.ShouldBe(full);
        LoadReport.TryParse(bare.ToString(), out read).ShouldBeTrue();
        read.ShouldBe(bare);
    }

    [Fact]
    public void TryParse_PartOfALaterVersion_IsSkipped()
    {
        LoadReport.TryParse("run=1;seq=2;colour=blue;op=5", out LoadReport read).ShouldBeTrue();
        read.Point.ShouldBe(new OverloadPoint(5));
    }

    [Theory]
    [InlineData("")]
    [InlineData("hello")]
    [InlineData("run=1")]
    [InlineData("seq=1")]
    [InlineData("run=1; seq=1; op=0")]
    [InlineData("run=1; seq=1; op=-5")]
    [InlineData("run=1; seq=1; op=1e300")]
    [InlineData("run=1; seq=1; op=NaN")]
    [InlineData("run=1; seq=1; op=Infinity")]
    [InlineData("run=1; seq=1; op=")]
    [InlineData("run=1; seq=1; op=1; op=2")]
    [InlineData("run=-1; seq=1")]
    [InlineData("run=1; seq=99999999999999999999")]
    [InlineData("run=1; seq=1; rif=-1")]
    [InlineData("run=1; seq=1; rif=4294967296")]
    [InlineData("run=1; seq=1; us=99999999999999")]
    [InlineData("run=1; seq=1; us=5; n=-1")]
    [InlineData("run=1; seq=1; us=5; n=4294967296")]
    [InlineData("run=1; seq=1; us=5; n=1; n=1")]
    [InlineData("run=1; seq=1;; op=5")]
    [InlineData("run=1, seq=1")]
    public void TryParse_NoReport_IsRefused(string text) => LoadReport.TryParse(text, out _).ShouldBeFalse();

    [Theory]
    [InlineData("lb1", true)]
    [InlineData("LB", true)]
    [InlineData("", false)]
    [InlineData(null, false)]
    [InlineData("l b", false)]
    [InlineData("lb\n", false)]
    [InlineData("lb-1", false)]
    [InlineData("l\u00e4b", false)]
    public void IsBalancerName_OfAsciiLettersAndDigitsOnly(string? name, bool isName) => LoadReport.IsBalancerName(name).ShouldBe(isName);

    [Fact]
    public void TryParse_EndlessText_IsRefusedUnread() => LoadReport.TryParse("run=1; seq=1; x=" + new string('0', 100_000), out _).ShouldBeFalse();
}
