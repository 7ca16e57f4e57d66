namespace AdaptivePool.Tests.Data.Fakes;

/// <summary>What has been committed.</summary>
internal sealed class FakeRows
{
    private readonly Lock _lock = new();
    private readonly List<int> _rows = [];

    public void Add(IEnumerable<int> rows)
    {
        lock (_lock)
        {
            _rows.AddRange(rows);
        }
    }

    public int[] Read()
    {
        lock (_lock)
        {
            return [.. _rows];
        }
    }
}
