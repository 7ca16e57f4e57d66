using AdaptivePool.Runtime;

namespace AdaptivePool.Tests.Runtime;

public sealed class RuntimeMinimumTests
{
    private readonly int[] _all = new int[RuntimeMinimum.Fields];
    private readonly RuntimeMinimum _minimum;
    private int _min = 4;
    private int _max = 1_000;
    private bool _refuses;
    private bool _isForced;
    private bool _lacksThreads;
    private int _writes;

    public RuntimeMinimumTests() => _minimum = Create();

    [Fact]
    public void Raise_AndBack_LeavesWhatTheUserSet()
    {
        _minimum.Raise(3);
        _min.ShouldBe(7);
        _minimum.Raise(1);
        _min.ShouldBe(5);
        _minimum.Raise(0);
        _min.ShouldBe(4);
        _minimum.Raised.ShouldBe(0);
    }

    /// <summary>The runtime starts a thread where it is told the number, and the number stands when it is refused one: the watch's thread lives on.</summary>
    [Fact]
    public void Raise_SystemRefusesTheThread_NumberStandsAndIsPutBack()
    {
        _lacksThreads = true;
        _minimum.Raise(3);
        _min.ShouldBe(7);
        _minimum.Raised.ShouldBe(3);
        _minimum.Raise(0);
        _min.ShouldBe(4);
    }

    [Fact]
    public void Raise_SameNumber_WritesNothing()
    {
        _minimum.Raise(2);
        _minimum.Raise(2);
        _writes.ShouldBe(1);
    }

    [Fact]
    public void Raise_UserSetsAnotherMeanwhile_ThatIsTheBase()
    {
        _minimum.Raise(3);
        _min = 20;
        _minimum.Raise(2);
        _min.ShouldBe(22);
        _minimum.Raise(0);
        _min.ShouldBe(20);
    }

    [Fact]
    public void Raise_BackAfterTheUserSetAnother_StaysTheUsers()
    {
        _minimum.Raise(3);
        _min = 20;
        _minimum.Raise(0);
        _min.ShouldBe(20);
    }

    [Fact]
    public void Raise_AboveTheMaximum_GoesAsFarAsItAllows()
    {
        _max = 5;
        _minimum.Raise(3);
        _min.ShouldBe(5);
        _minimum.Raise(0);
        _min.ShouldBe(4);
    }

    [Fact]
    public void MayRaise_RefusedOnce_NotUntilOneIsAccepted()
    {
        _refuses = true;
        _minimum.Raise(1);
        _minimum.Raised.ShouldBe(0);
        _minimum.MayRaise.ShouldBeFalse();
        _refuses = false;
        _minimum.Raise(1);
        _minimum.MayRaise.ShouldBeTrue();
    }

    /// <summary>
    /// Somebody lowers the maximum between the look at it and the write. From then on no class became a guest, for as long as the process ran.
    /// </summary>
    [Fact]
    public void MayRaise_RefusedBecauseOthersSetTheMaximumMeanwhile_MayAfterwards()
    {
        _refuses = true;
        _minimum.Raise(1);
        _max = 900;
        _refuses = false;
        _minimum.Raise(0);
        _minimum.MayRaise.ShouldBeTrue();
    }

    [Fact]
    public void MayRaise_MinimumIsForcedFromOutside_MayNot()
    {
        // DOTNET_ThreadPool_ForceMinWorkerThreads: the runtime accepts each number and keeps its own.
        _isForced = true;
        _minimum.Raise(1);
        _minimum.Raised.ShouldBe(0);
        _minimum.MayRaise.ShouldBeFalse();
        _min.ShouldBe(4);
    }

    [Fact]
    public void MayRaise_NoRoomUnderTheMaximum_MayNot()
    {
        _max = _min;
        _minimum.MayRaise.ShouldBeFalse();
    }

    [Fact]
    public void Process_ReadsAndWritesTheRuntimesPool()
    {
        // Another test may be lent a thread meanwhile.
        Eventually.Be(
            static () =>
            {
                ThreadPool.GetMinThreads(out int before, out _);
                RuntimeMinimum.Process.MayRaise.ShouldBeTrue();
                ThreadPool.GetMinThreads(out int after, out _);
                return after == before;
            },
            "asking changes nothing");
    }

    [Fact]
    public void Raise_TwoCopiesOfTheLibrary_LeaveWhatTheUserSet()
    {
        // Each took for the user's what the other one had raised: the minimum rose for as long as the process ran.
        RuntimeMinimum other = Create();
        for (int i = 0; i < 3; i++)
        {
            _minimum.Raise(2);
            other.Raise(1);
            _min.ShouldBe(7);
            _minimum.Raise(0);
            _min.ShouldBe(5);
            other.Raise(0);
            _min.ShouldBe(4);
        }
    }

    private RuntimeMinimum Create() => new(() => (_min, _max), Write, _all);

    private bool Write(int threads)
    {
        if (_refuses)
        {
            return false;
        }

        _writes++;
        _min = _isForced ? _min : threads;
        return _lacksThreads ? throw new OutOfMemoryException() : true;
    }
}
