using System.Runtime.CompilerServices;

namespace AdaptivePool.Balancing;

/// <summary>
/// Where requests stand that wait for a backend: the first of a line asks again, the others wait for it. All asking at once would be a herd. A line for each
/// set of backends: who may go to one only, as a session that belongs to it, must not hold up those that may go to others. Thread-safe.
/// </summary>
internal sealed class WaitLines : IEqualityComparer<IReadOnlyList<BackendState>>
{
    private readonly Dictionary<IReadOnlyList<BackendState>, Line> _lines;

    public WaitLines() => _lines = new(this);

    /// <summary>Whether nobody waits for these.</summary>
    public bool IsFree(IReadOnlyList<BackendState> backends)
    {
        lock (_lines)
        {
            return !_lines.ContainsKey(backends);
        }
    }

    /// <summary>Stands at the end of a line. To be left by <see cref="Leave"/>.</summary>
    public Line Join(IReadOnlyList<BackendState> backends)
    {
        lock (_lines)
        {
            if (!_lines.TryGetValue(backends, out Line? line))
            {
                // Copied: the caller's list may change while others stand here.
                line = new Line([.. backends]);
                _lines.Add(line.Backends, line);
            }

            line.Length++;
            return line;
        }
    }

    /// <summary>Leaves a line, first or not.</summary>
    public void Leave(Line line)
    {
        lock (_lines)
        {
            if (--line.Length == 0)
            {
                _lines.Remove(line.Backends);
            }
        }
    }

    bool IEqualityComparer<IReadOnlyList<BackendState>>.Equals(IReadOnlyList<BackendState>? x, IReadOnlyList<BackendState>? y) =>
        x == y || (x is not null && y is not null && x.SequenceEqual(y));

    int IEqualityComparer<IReadOnlyList<BackendState>>.GetHashCode(IReadOnlyList<BackendState> backends)
    {
        // A few of them tell most sets apart: each request asks while others wait, and there may be thousands.
        int count = backends.Count;
        return count == 0 ? 0 : HashCode.Combine(count, Of(backends[0]), Of(backends[count / 2]), Of(backends[count - 1]));

        static int Of(BackendState backend) => RuntimeHelpers.GetHashCode(backend);
    }

    /// <summary>Those that wait for the same backends.</summary>
    internal sealed class Line(IReadOnlyList<BackendState> backends)
    {
        public IReadOnlyList<BackendState> Backends { get; } = backends;

        /// <summary>Held by the first. Not disposed: whoever stands in a semaphore that is waits for ever, cancelled or not.</summary>
        public SemaphoreSlim First { get; } = new(1, 1);

        /// <summary>How many stand here, under the lock of the lines.</summary>
        public int Length { get; set; }
    }
}
