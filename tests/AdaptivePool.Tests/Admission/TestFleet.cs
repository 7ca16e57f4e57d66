using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

/// <summary>A fleet in memory. Lines stay until they are taken away.</summary>
internal sealed class TestFleet : IGateFleet
{
    private readonly Dictionary<Member, string> _lines = [];

    /// <summary>What a look throws; <see langword="null"/> for nothing.</summary>
    public Exception? Failure { get; set; }

    /// <summary>What leaving throws; <see langword="null"/> for nothing.</summary>
    public Exception? LeaveFailure { get; set; }

    /// <summary>A look returns nothing.</summary>
    public bool ReturnsNull { get; set; }

    /// <summary>What a look returns; <see langword="null"/> for the lines that there are.</summary>
    public IReadOnlyList<string>? Lines { get; set; }

    /// <summary>The database has started again: nobody's line is there.</summary>
    public void Restart()
    {
        lock (_lines)
        {
            Failure = null;
            _lines.Clear();
        }
    }

    /// <summary>The way to each session broke. The server has not noticed and shows them on; their gates show themselves in new ones.</summary>
    public void Break()
    {
        lock (_lines)
        {
            Others.AddRange(_lines.Values);
        }
    }

    /// <summary>Lines of no gate, or of one that shows another one.</summary>
    public List<string> Others { get; } = [];

    public int Members { get; private set; }

    /// <summary>Looks that were asked for, those that threw among them.</summary>
    public int Looks { get; private set; }

    public IGateFleetMember Join(string gate)
    {
        Members++;
        return new Member(this);
    }

    private sealed class Member(TestFleet fleet) : IGateFleetMember
    {
        public IReadOnlyList<string> Exchange(string line)
        {
            lock (fleet._lines)
            {
                fleet.Looks++;
                if (fleet.Failure is { } failure)
                {
                    throw failure;
                }

                fleet._lines[this] = line;
                return fleet.ReturnsNull ? null! : fleet.Lines ?? [.. fleet._lines.Values, .. fleet.Others];
            }
        }

        public void Dispose()
        {
            lock (fleet._lines)
            {
                fleet.Members--;
                if (fleet.LeaveFailure is { } failure)
                {
                    throw failure;
                }

                fleet._lines.Remove(this);
            }
        }
    }
}
