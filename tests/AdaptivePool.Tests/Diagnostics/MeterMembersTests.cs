using System.Diagnostics.Metrics;
using AdaptivePool.Diagnostics;

namespace AdaptivePool.Tests.Diagnostics;

public sealed class MeterMembersTests
{
    /// <summary>Items of a pool whose drain time is over end while it is taken out. A total that falls is taken for one that has begun again.</summary>
    [Fact]
    public void Total_GrowsWhileItsMemberIsRemoved_IsNotToldLessThanBefore()
    {
        using var factory = new OneMeter();
        List<long> told = [];
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, l) =>
            {
                if (ReferenceEquals(instrument.Meter, factory.Meter))
                {
                    l.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, value, _, _) => told.Add(value));
        listener.Start();
        long total = 0;
        bool isEnding = false;
        MeterMembers<object> members = MeterMembers<object>.Of(factory, static _ => "member", created => created.Total("total", "{item}", "A total.", _ =>
        {
            long read = total;
            if (isEnding)
            {
                // A collector asks between the last reading and the end of the member.
                isEnding = false;
                total++;
                listener.RecordObservableInstruments();
            }

            return [new Measurement<long>(read)];
        }));
        var member = new object();
        members.Add(member, "member", static _ => { });
        total = 5;
        listener.RecordObservableInstruments();
        isEnding = true;
        members.Remove(member);
        listener.RecordObservableInstruments();
        told.ShouldBe(told.Order());
        told[^1].ShouldBe(5, "the last reading is told on");
    }

    private sealed class OneMeter : IMeterFactory
    {
        public Meter Meter { get; } = new("members");

        public Meter Create(MeterOptions options) => Meter;

        public void Dispose() => Meter.Dispose();
    }
}
