using System.Runtime.CompilerServices;

namespace AdaptivePool.Balancing;

/// <summary>
/// The lines in which requests wait for a backend. The first request of a line asks again, and the others wait for it; otherwise all would ask at once. There
/// is a line for each set of backends: a request that may go to one backend only, because its session belongs there, must not hold up requests that may go to
/// others. Thread-safe.
/// </summary>
internal sealed class WaitLines : IEqualityComparer<IReadOnlyList<BackendState>>
{
    private readonly Dictionary<IReadOnlyList<BackendState>, Line> _lines;

    public WaitLines() => _lines = new(this);

    /// <summary>Whether no request waits for these backends.</summary>
    public bool IsFree(IReadOnlyList<BackendState> backends)
    {
        lock (_lines)
        {
            return !_lines.ContainsKey(backends);
        }
    }

    /// <summary>Joins a line at its end. <see cref="Leave"/> must follow.</summary>
    public Line Join(IReadOnlyList<BackendState> backends)
    {
        lock (_lines)
        {
            if (!_lines.TryGetValue(backends, out Line? line))
            {
                // A copy: the caller's list may change while requests wait here.
                line = new Line([.. backends]);
                _lines.Add(line.Backends, line);
            }

            line.Length++;
            return line;
        }
    }

    /// <summary>Leaves a line, from any position.</summary>
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
        // A few backends distinguish most sets: each request asks while others wait, and there may be thousands of backends.
        int count = backends.Count;
        return count == 0 ? 0 : HashCode.Combine(count, Of(backends[0]), Of(backends[count / 2]), Of(backends[count - 1]));

        static int Of(BackendState backend) => RuntimeHelpers.GetHashCode(backend);
    }

    /// <summary>The requests that wait for the same backends.</summary>
    internal sealed class Line(IReadOnlyList<BackendState> backends)
    {
        public IReadOnlyList<BackendState> Backends { get; } = backends;

        /// <summary>Held by the first request. Not disposed: a wait for a disposed semaphore never ends, cancelled or not.</summary>
        public SemaphoreSlim First { get; } = new(1, 1);

        /// <summary>The number of requests in the line, under the lock of the lines.</summary>
        public int Length { get; set; }
    }
}
