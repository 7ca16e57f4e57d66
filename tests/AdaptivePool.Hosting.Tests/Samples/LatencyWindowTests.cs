using AdaptivePool.Sample.Bank.Show;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

public sealed class LatencyWindowTests
{
    private static readonly TimeSpan s_length = TimeSpan.FromSeconds(5);

    private readonly LatencyWindow _window = new(s_length);

    [Fact]
    public void Read_NothingAsked_HasNoLatency() => _window.Read(TimeSpan.Zero).ShouldBe(new LatencyReport(0, 0, null, null, null));

    [Fact]
    public void Read_Answers_AreRanked()
    {
        for (int i = 1; i <= 100; i++)
        {
            _window.Answered(_window.Sent(TimeSpan.Zero), TimeSpan.FromMilliseconds(i));
        }

        _window.Read(TimeSpan.FromSeconds(1)).ShouldBe(new LatencyReport(100, 0, 50, 99, 100));
    }

    [Fact]
    public void Read_NoAnswerYet_CountsTheTimeWaited()
    {
        _window.Sent(TimeSpan.FromSeconds(1));

        _window.Read(TimeSpan.FromSeconds(9)).ShouldBe(new LatencyReport(1, 1, 8_000, 8_000, 8_000));
    }

    [Fact]
    public void Read_OldAnswer_IsForgotten()
    {
        _window.Answered(_window.Sent(TimeSpan.Zero), TimeSpan.FromSeconds(1));

        _window.Read(TimeSpan.FromSeconds(6)).Asked.ShouldBe(1);
        _window.Read(TimeSpan.FromSeconds(6.1)).Asked.ShouldBe(0);
    }

    [Fact]
    public void Lost_BrokenConnection_NoLongerWaits()
    {
        _window.Lost(_window.Sent(TimeSpan.Zero));

        _window.Waiting.ShouldBe(0);
        _window.Read(TimeSpan.FromSeconds(1)).Asked.ShouldBe(0);
    }
}
