namespace AdaptivePool.Sizing;

/// <summary>
/// Feeds a controller that makes all decisions. The controller gets one sample after the other, each of the length that it asks for, whatever the class does.
/// The only bounds are those of the user, the machine and the other classes. A class counts as without connections only after it has been empty for the idle
/// timeout, because zero connections begin the search again.
/// </summary>
/// <param name="controller">The controller.</param>
/// <param name="idleTimeout">How long a class must have been empty until no client counts as connected.</param>
/// <param name="size">Size to begin with, in threads.</param>
internal sealed class ControllerFeed(IPoolController controller, TimeSpan idleTimeout, int size)
{
    // The first sample is short, so that the samples that follow soon have the length that the controller wants.
    private static readonly TimeSpan s_firstInterval = TimeSpan.FromMilliseconds(250);

    private readonly SampleWindow _window = new();
    private TimeSpan _interval = s_firstInterval;
    private TimeSpan? _aliveAt;
    private long _completed;
    private int? _connections;
    private bool _isToldLeft;

    /// <summary>The size that the controller has decided, in threads.</summary>
    public int Size { get; private set; } = size;

    /// <summary>The reason for the decision that was last reported.</summary>
    public DecisionReason Told { get; set; } = DecisionReason.Initial;

    /// <summary>What the controller is doing, in words.</summary>
    public string State { get; private set; } = "Start";

    /// <summary>
    /// Whether the class must be looked at although no work waits. The controller needs samples until it has been told that no client is connected.
    /// </summary>
    public bool WantsLooks => _aliveAt is not null && !_isToldLeft;

    /// <summary>
    /// Begins with a size, when the class has been used. The first look may be the only one for a long time, and an item may come and go unseen: a client
    /// counts as connected.
    /// </summary>
    /// <param name="c">The class.</param>
    /// <param name="size">The size, in threads.</param>
    public void Begin(in ClassObservation c, int size)
    {
        Size = size;
        _window.Close();
        _aliveAt ??= c.Now;
    }

    /// <summary>Closes the sample. Completions from now on belong to another size than the controller's, until the controller is asked again.</summary>
    public void Interrupt() => _window.Close();

    /// <summary>Takes one look. Returns the decision when a sample is over.</summary>
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

        // While other classes hold the missing threads, the size in force is the highest that can be had.
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
            // The window opens at the next look, when the new size is in force.
            _window.Close();
        }

        return decision with { Target = Size };
    }

    // Also checked when work comes: there may have been no look while the class was empty.
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
