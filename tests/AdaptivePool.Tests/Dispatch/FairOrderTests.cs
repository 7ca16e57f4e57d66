using AdaptivePool.Dispatch;
using FsCheck;
using FsCheck.Fluent;

namespace AdaptivePool.Tests.Dispatch;

public sealed class FairOrderTests
{
    private const double Longest = 10e6;

    [Fact]
    public void Charge_AllAlwaysHaveWork_NobodyIsOwedMoreThanOneTurnForEachThatRuns() =>
        Prop.ForAll<byte[], int>((weights, seed) =>
        {
            FairEntry[] entries = [.. weights.Append((byte)1).Append((byte)2).Take(20).Select(static weight => new FairEntry { Weight = 1 + weight })];
            var order = new FairOrder();
            Array.ForEach(entries, order.Add);
            var random = new Random(seed);
            int workers = 1 + random.Next(4);
            var running = new Queue<FairEntry>();
            for (int turn = 0; turn < 2_000; turn++)
            {
                order.Begin(order.First!);
                running.Enqueue(order.First!);
                if (running.Count == workers)
                {
                    order.Charge(running.Dequeue(), random.NextDouble() * Longest);
                }

                double ahead = Nanoseconds(entries.Max(static entry => entry.Virtual) - entries.Min(static entry => entry.Virtual));
                double most = workers * Longest / entries.Min(static entry => entry.Weight);
                ahead.ShouldBeLessThanOrEqualTo(most, "what was used over the weights differs by more than a turn for each that runs");
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(100));

    [Fact]
    public void First_SomeComeAndGo_IsAlwaysTheLeast() =>
        Prop.ForAll<int>(seed =>
        {
            var random = new Random(seed);
            FairEntry[] entries = [.. Enumerable.Range(0, 12).Select(_ => new FairEntry { Weight = 1 + random.Next(1_000) })];
            var order = new FairOrder();
            for (int step = 0; step < 500; step++)
            {
                FairEntry entry = entries[random.Next(entries.Length)];
                if (!entry.HasWork)
                {
                    order.Add(entry);
                }
                else if (random.Next(3) == 0)
                {
                    order.Remove(entry);
                }
                else
                {
                    order.Begin(order.First!);
                    order.Charge(order.First!, random.Next(1_000_000));
                }

                FairEntry[] inside = [.. entries.Where(static each => each.HasWork)];
                order.Count.ShouldBe(inside.Length);
                order.First?.Virtual.ShouldBe(inside.Min(static each => each.Virtual));
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(100));

    [Fact]
    public void Add_AfterALongRest_HasSavedUpNothing() =>
        Prop.ForAll<byte, byte>((restWeight, busyWeight) =>
        {
            var rests = new FairEntry { Weight = 1 + restWeight };
            var busy = new FairEntry { Weight = 1 + busyWeight };
            var order = new FairOrder();
            order.Add(busy);
            for (int i = 0; i < 1_000; i++)
            {
                order.Begin(busy);
                order.Charge(busy, Longest);
            }

            order.Add(rests);
            order.Begin(order.First!);
            Nanoseconds(busy.Virtual - rests.Virtual)
                .ShouldBeLessThanOrEqualTo((Longest / busy.Weight) * 1.000_001, "it is owed one turn of the other at most");
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(50));

    [Fact]
    public void Add_AfterUsingALotAlone_PaysForASecondAtMost()
    {
        var order = new FairOrder();
        var alone = new FairEntry();
        order.Charge(alone, 100 * FairOrder.MostAhead);
        order.Add(alone);
        Nanoseconds(alone.Virtual - order.Now).ShouldBe(FairOrder.MostAhead);
    }

    [Fact]
    public void Charge_NothingUsed_OthersGetTheirTurnAllTheSame()
    {
        var order = new FairOrder();
        var nothing = new FairEntry { Weight = 1_000 };
        var other = new FairEntry();
        order.Add(nothing);
        order.Charge(other, FairOrder.LeastUsed);
        order.Add(other);
        int turns = 0;
        while (!ReferenceEquals(order.First, other) && turns < 10_000)
        {
            order.Begin(nothing);
            order.Charge(nothing, 0);
            turns++;
        }

        turns.ShouldBeLessThanOrEqualTo(1_001, "each turn counts something, and the other is owed a thousand of them");
    }

    [Theory]
    [InlineData(1)]
    [InlineData(1_000)]
    public void Charge_AfterManyYearsOfUse_IsAsExactAsAtTheStart(int weight)
    {
        // A hundred processors for thirty years.
        const double Years = 100 * 30 * 365.25 * 86_400e9;
        var order = new FairOrder();
        var old = new FairEntry();
        order.Add(old);
        order.Charge(old, Years);
        order.Begin(old);
        var nothing = new FairEntry { Weight = weight };
        order.Add(nothing);
        order.Charge(old, FairOrder.LeastUsed);
        int turns = 0;
        while (!ReferenceEquals(order.First, old) && turns < 10_000)
        {
            order.Begin(nothing);
            order.Charge(nothing, 0);
            turns++;
        }

        turns.ShouldBeInRange(weight, weight + 1, "each turn counts something");
    }

    private static double Nanoseconds(Int128 virtualTime) => (double)virtualTime / FairOrder.Parts;
}
