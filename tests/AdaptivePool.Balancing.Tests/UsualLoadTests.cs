namespace AdaptivePool.Balancing.Tests;

public sealed class UsualLoadTests
{
    /// <summary>Room was made for as many as may be compared, and there is none for the largest number: each choice failed.</summary>
    [Fact]
    public void Look_AnyNumberMayBeCompared_MakesRoomForThoseThatThereAre()
    {
        BackendState[] backends = [.. Enumerable.Range(0, 100).Select(static i => new BackendState($"b{i}", default))];
        for (int i = 0; i < backends.Length; i++)
        {
            backends[i].Begin();
            backends[i].End(TimeSpan.FromMilliseconds(i + 1), TimeSpan.Zero);
        }

        UsualLoad usual = new(int.MaxValue, TimeSpan.FromSeconds(1));
        usual.Look(backends, TimeSpan.Zero);
        usual.Time.ShouldBe(0.05, tolerance: 1e-9);
    }
}
