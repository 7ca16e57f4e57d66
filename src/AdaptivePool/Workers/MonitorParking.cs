namespace AdaptivePool.Workers;

/// <summary>Parking by a monitor: the portable fallback.</summary>
internal sealed class MonitorParking : Parking
{
    private readonly object _gate = new();
    private bool _permit;

    public override void Park()
    {
        lock (_gate)
        {
            while (!_permit)
            {
                Monitor.Wait(_gate);
            }

            _permit = false;
        }
    }

    public override void Unpark()
    {
        lock (_gate)
        {
            _permit = true;
            Monitor.Pulse(_gate);
        }
    }
}
