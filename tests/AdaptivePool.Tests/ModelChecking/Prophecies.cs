namespace AdaptivePool.Tests.ModelChecking;

/// <summary>What reads of a program may foresee: by call site, the values that were ever written to the locations read there. Learnt from runs in which nothing
/// is foreseen.</summary>
internal sealed class Prophecies
{
    /// <summary>Values of one site; more would only make runs that cannot be.</summary>
    private const int MostValues = 8;

    private readonly Dictionary<Site, List<Value>> _values = [];
    private readonly HashSet<(Site, Location)> _read = [];

    public IReadOnlyList<Value> At(in Site site) => _values.TryGetValue(site, out List<Value>? values) ? values : [];

    /// <summary>Notes that a read of a run met a location.</summary>
    public void Note(in Site site, Location location) => _read.Add((site, location));

    /// <summary>Takes over what the run has written. References count only if they are the same in each run.</summary>
    public void EndRun()
    {
        foreach ((Site site, Location location) in _read)
        {
            if (!_values.TryGetValue(site, out List<Value>? values))
            {
                _values.Add(site, values = []);
            }

            for (int i = 1; i < location.Count; i++)
            {
                var value = new Value(location[i].Number, location[i].Reference);
                if (value.Reference is null or string && !values.Contains(value) && values.Count < MostValues)
                {
                    values.Add(value);
                }
            }
        }

        _read.Clear();
    }
}
