namespace AdaptivePool.Sizing;

/// <summary>
/// Feeds a controller that decides whole: one sample after the other, as long as it asks for, whatever the class does, and no bounds but those of the user, the
/// machine and the other classes. A class is without connections only when it has been empty for the idle timeout: zero begins the search again.
/// </summary>
/// <param name="controller">The controller.</param>
/// <param name="idleTimeout">How long a class must have been empty until nobody is connected.</param>
/// <param name="size">Size to begin with, in threads.</param>
internal sealed class ControllerFeed(IPoolController controller, TimeSpan idleTimeout, int size)
{
    // What a class begins with is told soon, so that the samples that follow have the length that the controller wants.
    private static readonly TimeSpan s_firstInterval = TimeSpan.FromMilliseconds(250);

    private readonly SampleWindow _window = new();
    private TimeSpan _interval = s_firstInterval;
    private TimeSpan? _aliveAt;
    private long _completed;
    private int? _connections;
    private bool _isToldLeft;

    /// <summary>The size that the controller has decided, in threads.</summary>
    public int Size { get; private set; } = size;

    /// <summary>Why it decided what was told last.</summary>
    public DecisionReason Told { get; set; } = DecisionReason.Initial;

    /// <summary>What it is doing, in words.</summary>
    public string State { get; private set; } = "Start";

    /// <summary>
    /// Whether the class is to be looked at although nothing waits: the controller wants its samples until it has been told that nobody is connected.
    /// </summary>
    public bool WantsLooks => _aliveAt is not null && !_isToldLeft;

    /// <summary>The size was decided elsewhere.</summary>
    /// <param name="size">The size, in threads.</param>
    public void Put(int size)
    {
        Size = size;
        _window.Close();
    }

    /// <summary>What completes from now on does so at another size than the controller's, until it is told again.</summary>
    public void Interrupt() => _window.Close();

    /// <summary>Takes one look; the decision when a sample is over.</summary>
    /// <param name="c">The class.</param>
    /// <param name="m">The machine.</param>
    /// <param name="max">Highest size allowed.</param>
    public SizeDecision? Observe(in ClassObservation c, in MachineObservation m, int max)
    {
        bool isLeft = HasBeenLeft(c);
        _isToldLeft &= isLeft;
        _window.Observe(c);
        if (_window.OpenedAt is not { } opened)
        {
            if (_aliveAt is not null)
            {
                _window.Open(c);
            }

            return null;
        }

        if (c.Now == opened || (c.Now - opened < _interval && (!isLeft || _isToldLeft)))
        {
            return null;
        }

        // Where others have what is missing, the size in force is the most there is.
        int most = c.Limit < Size ? Math.Min(c.Limit, max) : max;
        PoolSample sample = _window.Read(c, m, Math.Min(Math.Max(1, c.Least), most), most);
        _connections = sample.Connections ?? _connections;
        _isToldLeft = isLeft;
        return Ask(c, sample with { Connections = isLeft ? 0 : _connections });
    }

    private SizeDecision Ask(in ClassObservation c, in PoolSample sample)
    {
        SizeDecision decision = controller.Update(sample);
        _interval = decision.Interval;
        int before = Size;
        State = decision.Trace.State;
        Size = Math.Clamp(decision.Target, sample.MinTarget, sample.MaxTarget);
        if (Size == before)
        {
            _window.Open(c);
        }
        else
        {
            // Opened at the next look, when the new size is in force.
            _window.Close();
        }

        return decision with { Target = Size };
    }

    // Told when work comes, too: there may have been no look at an empty class.
    private bool HasBeenLeft(in ClassObservation c)
    {
        bool hasCompleted = c.Completed != _completed;
        _completed = c.Completed;
        bool isLeft = _aliveAt is { } alive && c.Now - alive >= idleTimeout && !hasCompleted;
        if (c.Demand > 0 || c.Requests > 0 || hasCompleted)
        {
            _aliveAt = c.Now;
        }

        return isLeft;
    }
}
