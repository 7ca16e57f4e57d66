using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>A sleeper and its wakers: no permit is lost, and what a waker wrote is seen.</summary>
internal static class ParkingPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("futex: one waker", static () => OneWaker(new WordParking<ModelSync>()), Bounds.Default),
        new("futex: two wakers", static () => TwoWakers(new WordParking<ModelSync>()), Bounds.Default),
        new("futex: twice", static () => Twice(byFutex: true), Bounds.Long),
        new("event: one waker", static () => OneWaker(new WordParking<ModelSync>(byFutex: false)), Bounds.Default),
        new("event: two wakers", static () => TwoWakers(new WordParking<ModelSync>(byFutex: false)), Bounds.Default),
        new("event: twice", static () => Twice(byFutex: false), Bounds.Default),
    ];

    private static ModelProgram OneWaker(Parking parking)
    {
        Cell data = new();
        int seen = 0;
        return new ModelProgram(
            [
                () =>
                {
                    parking.Park();
                    seen = ModelSync.Read(ref data.Value, string.Empty, 1);
                },
                () =>
                {
                    ModelSync.Write(ref data.Value, 1, string.Empty, 2);
                    parking.Unpark();
                },
            ],
            () => ModelFailureException.Require(seen == 1, "woken without what the waker wrote"));
    }

    // Permits do not add up: the second may be taken with the first, but then the second waker's work is seen after the first sleep.
    private static ModelProgram TwoWakers(Parking parking)
    {
        Cell first = new(), second = new();
        void Wake(Cell work)
        {
            ModelSync.Write(ref work.Value, 1, string.Empty, 1);
            parking.Unpark();
        }

        return new ModelProgram(
            [
                () =>
                {
                    do
                    {
                        parking.Park();
                    }
                    while (ModelSync.Read(ref first.Value, string.Empty, 2) + ModelSync.Read(ref second.Value, string.Empty, 3) < 2);
                },
                () => Wake(first),
                () => Wake(second),
            ],
            static () => { });
    }

    private static ModelProgram Twice(bool byFutex)
    {
        var parking = new WordParking<ModelSync>(byFutex);
        var other = new WordParking<ModelSync>(byFutex);
        Cell ball = new();
        int seen = 0;
        return new ModelProgram(
            [
                () =>
                {
                    for (int i = 0; i < 2; i++)
                    {
                        parking.Park();
                        seen += ModelSync.Read(ref ball.Value, string.Empty, 1);
                        other.Unpark();
                    }
                },
                () =>
                {
                    for (int i = 0; i < 2; i++)
                    {
                        ModelSync.Write(ref ball.Value, i + 1, string.Empty, 2);
                        parking.Unpark();
                        other.Park();
                    }
                },
            ],
            () => ModelFailureException.Require(seen == 3, "a ball was lost"));
    }
}
