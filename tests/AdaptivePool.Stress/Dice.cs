namespace AdaptivePool.Stress;

/// <summary>Random numbers of one thread, cheap enough for every item (xorshift, Marsaglia 2003), and pauses that shift threads against each other.</summary>
internal struct Dice
{
    private uint _state;

    public Dice(int seed, int thread)
    {
        // A multiplication spreads seeds that lie side by side; the state must not be zero.
        _state = unchecked(((uint)seed * 2_654_435_761u) + ((uint)thread * 40_503u)) | 1u;
        for (int i = 0; i < 8; i++)
        {
            Next();
        }
    }

    /// <summary>A number from 0 to below <paramref name="bound"/>.</summary>
    public int Below(int bound) => (int)(((ulong)Next() * (uint)bound) >> 32);

    /// <summary>Once in so many: yields, spins or sleeps for next to nothing.</summary>
    public void MayPause(int oneIn)
    {
        if (Below(oneIn) != 0)
        {
            return;
        }

        switch (Below(16))
        {
            case 0:
                Thread.Sleep(1);
                break;
            case < 4:
                Thread.Sleep(0);
                break;
            case < 10:
                Thread.Yield();
                break;
            default:
                Thread.SpinWait(1 << Below(12));
                break;
        }
    }

    private uint Next()
    {
        _state ^= _state << 13;
        _state ^= _state >> 17;
        _state ^= _state << 5;
        return _state;
    }
}
