using AdaptivePool.Dispatch;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>Parking by a futex and by an event keep the same contract, whichever this system uses.</summary>
public sealed class ParkingTests
{
    public static TheoryData<string> Kinds => OperatingSystem.IsLinux() ? ["futex", "event"] : ["event"];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Park_PermitGivenBefore_ReturnsAtOnce(string kind)
    {
        Parking parking = Create(kind);
        parking.Unpark();
        parking.Unpark();
        parking.Park();
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Unpark_TwoPermits_AreOne(string kind)
    {
        Parking parking = Create(kind);
        parking.Unpark();
        parking.Unpark();
        parking.Park();
        using var returned = new ManualResetEventSlim();
        var thread = new Thread(() =>
        {
            parking.Park();
            returned.Set();
        });
        thread.Start();
        Eventually.Be(() => (thread.ThreadState & ThreadState.Unstarted) == 0, "the thread starts");
        returned.Wait(TimeSpan.FromMilliseconds(50)).ShouldBeFalse("two permits are one, so the second park must sleep");
        parking.Unpark();
        Eventually.Set(returned, "a permit wakes the sleeper");
        thread.Join();
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void ParkUnpark_PingPong_LosesNoWake(string kind)
    {
        const int rounds = 20_000;
        Parking ping = Create(kind);
        Parking pong = Create(kind);
        Thread[] threads =
        [
            new(() =>
            {
                for (int i = 0; i < rounds; i++)
                {
                    ping.Park();
                    pong.Unpark();
                }
            }),
            new(() =>
            {
                for (int i = 0; i < rounds; i++)
                {
                    ping.Unpark();
                    pong.Park();
                }
            }),
        ];
        Array.ForEach(threads, t => t.IsBackground = true);
        Array.ForEach(threads, t => t.Start());
        threads.ShouldAllBe(t => t.Join(Eventually.Patience), "a lost wake leaves both asleep");
    }

    private static Parking Create(string kind) => new WordParking<RealSync>(byFutex: kind == "futex");
}
