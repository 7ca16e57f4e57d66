using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

public sealed class FleetReportTests
{
    private static readonly FleetReport s_report = new()
    {
        Id = FleetReport.CreateId(1_795_372_800, drawn: 250_000),
        Number = 812,
        Total = 64,
        Verified = 68,
        Epoch = 46_655,
        Limit = 8,
        Wanted = 81,
        PerSecond = 398.7,
        FailedPerSecond = 0.5,
        Binds = true,
        IsProven = true,
        Inside = TimeSpan.FromMilliseconds(20.5),
    };

    [Fact]
    public void Parse_WhatWasWritten_IsTheSame()
    {
        string line = s_report.ToString();
        line.Length.ShouldBe(FleetReport.Length);
        FleetReport.TryParse(line, out FleetReport read).ShouldBeTrue();
        read.ShouldBe(s_report);
    }

    /// <summary>Instances of two versions stand before one database while an application is upgraded. What changes this line hides them from each other, and
    /// each version takes the limit of all: whatever must be told beyond it needs a line that earlier ones can read, too.</summary>
    [Fact]
    public void Write_IsWhatOtherVersionsRead() => s_report.ToString().ShouldBe("0tox2io5cwg:0mk001s001wzzz000800290032r0053000ftg");

    [Fact]
    public void Write_MoreThanFits_IsTheMostThatDoes()
    {
        FleetReport large = s_report with { Total = int.MaxValue, PerSecond = 1e12, Inside = TimeSpan.FromDays(1_000) };
        FleetReport.TryParse(large.ToString(), out FleetReport read).ShouldBeTrue();
        read.Total.ShouldBe((36 * 36 * 36 * 36) - 1);
        read.PerSecond.ShouldBeGreaterThan(6_000_000);
        read.Inside.ShouldBeGreaterThan(TimeSpan.FromMinutes(36));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("psql")]
    [InlineData("00000000000:000000000000000000000000000000000000")]
    [InlineData("00000000000-0000000000000000000000000000000000000")]
    [InlineData("00000000000:00000000000000000000000000000000000!0")]
    [InlineData("00000000000:00000000000000000000000000000000000A0")]
    public void Parse_AnotherForm_IsRefused(string? line) => FleetReport.TryParse(line, out _).ShouldBeFalse();

    [Fact]
    public void CreateId_Earlier_ComesFirst()
    {
        string early = FleetReport.CreateId(1_000, drawn: uint.MaxValue);
        string late = FleetReport.CreateId(1_001, drawn: 0);
        (early.Length, late.Length).ShouldBe((FleetReport.IdLength, FleetReport.IdLength));
        string.CompareOrdinal(early, late).ShouldBeLessThan(0);
    }
}
