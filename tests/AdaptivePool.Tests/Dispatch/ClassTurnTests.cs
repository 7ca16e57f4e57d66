namespace AdaptivePool.Tests.Dispatch;

/// <summary>A worker that holds a slot of a class with work goes on with it; once in sixteen items it looks at all classes in turn.</summary>
public sealed class ClassTurnTests : PoolTest
{
    private const int Flood = 1_000;

    /// <summary>Two looks in turn, sixteen items apart, and some items beside: far below the flood, far above what chance needs.</summary>
    private const int Soon = 100;

    [Fact]
    public void ClassBehindAFlood_OnOneThread_GetsItsTurn()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass flood = pool.GetClass("flood");
        WorkClass small = pool.GetClass("small");
        var order = new List<string>();
        List<Task> items = [];
        using (new WorkerGate(flood.Factory, 1))
        {
            items.AddRange(Enumerable.Range(0, Flood).Select(_ => flood.Run(() => order.Add("flood"))));
            items.Add(small.Run(() => order.Add("small")));
        }

        items.ForEach(static t => Eventually.End(t));
        order.IndexOf("small").ShouldBeLessThan(Soon, "a class whose queue never ends keeps its worker for sixteen items, not for ever");
    }

    [Fact]
    public void TwoFloods_OnOneThread_ShareIt()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass[] classes = [pool.GetClass("left"), pool.GetClass("right"), pool.GetClass("middle")];
        var order = new List<int>();
        List<Task> items = [];
        using (new WorkerGate(classes[0].Factory, 1))
        {
            foreach (int which in Enumerable.Range(0, classes.Length))
            {
                items.AddRange(Enumerable.Range(0, Flood).Select(_ => classes[which].Run(() => order.Add(which))));
            }
        }

        items.ForEach(static t => Eventually.End(t));
        foreach (int which in Enumerable.Range(0, classes.Length))
        {
            order.Take(Flood).Count(i => i == which).ShouldBeGreaterThan(Flood / 10, $"class {which} has its share while all have work");
        }
    }
}
