using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;
using FsCheck;
using FsCheck.Fluent;

namespace AdaptivePool.Tests.Dispatch.Queues;

public sealed class ReadySetTests
{
    [Fact]
    public void Find_AnySequence_GivesWhatIsReadyInOrderAndForgetsTheRest() =>
        Prop.ForAll<ushort[], byte, ushort>((operations, size, from) =>
        {
            int capacity = size switch { < 60 => 1 + size, < 120 => size * 64, < 200 => 4_096 + size, _ => 33_767 };
            var set = new Numbers(capacity);
            foreach (ushort operation in operations)
            {
                int number = operation / 3 % capacity;
                if (operation % 3 < 2)
                {
                    set.Ready.Add(number);
                    set.Note(number);
                }
                else
                {
                    set.Ready.Remove(number);
                }
            }

            int start = from % capacity;
            set.FindAll(start, capacity).ShouldBe(set.Ready.Where(number => number >= start));
            set.FindAll(0, start).ShouldBe(set.Ready.Where(number => number < start));
            set.IsEmpty.ShouldBe(set.Ready.Count == 0);
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(300).WithEndSize(200));

    [Fact]
    public void Find_NumberAtTheEnd_IsNotLookedAt()
    {
        var set = new Numbers(100) { ReadyFromLook = 1 };
        set.Note(70);
        bool restored = false;

        set.Find(0, 70, ref restored).ShouldBe(-1);
        set.Looks.ShouldBe(0);
        set.Find(70, 71, ref restored).ShouldBe(70);
    }

    [Fact]
    public void Note_KnownNumber_ChangesNothing()
    {
        var set = new Numbers(4_096);
        set.Note(4_095).ShouldBeTrue();
        set.Note(4_095).ShouldBeFalse();
        set.Note(4_094).ShouldBeTrue();
    }

    [Fact]
    public void Find_NumberThatIsReadyAgainWhenDropped_RestoresItAndSaysSo()
    {
        var set = new Numbers(100) { ReadyFromLook = 2 };
        set.Note(70);
        bool restored = false;

        set.Find(0, 100, ref restored).ShouldBe(-1);
        restored.ShouldBeTrue();
        set.Find(0, 100, ref restored).ShouldBe(70);
    }

    [Theory]
    [InlineData(100)]
    [InlineData(10_000)]
    public void Find_LoneNumberThatIsNotReady_LeavesNothingAndRestoresNothing(int capacity)
    {
        var set = new Numbers(capacity);
        set.Note(70);
        bool restored = false;

        set.Find(0, capacity, ref restored).ShouldBe(-1);
        (restored, set.IsEmpty).ShouldBe((false, true));
    }

    [Fact]
    public void Find_ManyThatAreNotReady_LooksAtEachOnce()
    {
        var set = new Numbers(10_000);
        for (int i = 0; i < 10_000; i++)
        {
            set.Note(i);
        }

        set.FindAll(0, 10_000).ShouldBeEmpty();
        int looks = set.Looks;
        set.Ready.Add(9_999);
        set.Note(9_999);
        set.FindAll(0, 10_000).ShouldBe([9_999]);
        (set.Looks - looks).ShouldBe(1);
    }

    private sealed class Numbers
    {
        private readonly ReadySet<RealSync> _set;

        public Numbers(int capacity) => _set = new ReadySet<RealSync>(capacity, IsReady);

        public bool IsEmpty => _set.IsEmpty;

        public SortedSet<int> Ready { get; } = [];

        public int Looks { get; private set; }

        public int ReadyFromLook { get; init; } = int.MaxValue;

        public List<int> FindAll(int from, int to)
        {
            List<int> found = [];
            bool restored = false;
            for (int number = Find(from, to, ref restored); number >= 0; number = Find(number + 1, to, ref restored))
            {
                found.Add(number);
            }

            return found;
        }

        public bool Note(int number) => _set.Note(number);

        public int Find(int from, int to, ref bool restored) => _set.Find(from, to, ref restored);

        private bool IsReady(int number) => ++Looks >= ReadyFromLook || Ready.Contains(number);
    }
}
