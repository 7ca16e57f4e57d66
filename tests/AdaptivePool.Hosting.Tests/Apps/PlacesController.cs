using Microsoft.AspNetCore.Mvc;

namespace AdaptivePool.Hosting.Tests.Apps;

[ApiController]
[Route("places")]
public sealed class PlacesController(AdaptiveThreadPool pool) : ControllerBase
{
    [HttpGet("sync")]
    public string Sync() => Whereabouts.Here();

    [HttpGet("async")]
    public async Task<string> Async()
    {
        var before = Whereabouts.Here();
        await Task.Delay(1);
        return $"{before},{Whereabouts.Here()}";
    }

    [HttpPost("echo")]
    public string Echo(Place place) => $"{place.Name}:{Whereabouts.Here()}";

    [HttpGet("disabled")]
    [DisableAdaptivePool]
    public string Disabled() => Whereabouts.Here();

    [HttpGet("named")]
    [RunOnAdaptivePool("named-by-attribute")]
    public string Named() => pool.ActiveClasses();

    [HttpGet("bounded")]
    [RunOnAdaptivePool("bounded-by-attribute")]
    [LimitQueue(1, MaxQueueMilliseconds = 60_000)]
    public string Bounded() => pool.ActiveClasses();

    [HttpGet("strict")]
    [OnBlocking(BlockingAction.Throw)]
    public bool Strict()
    {
        using var signal = new AutoResetEvent(true);
        return signal.WaitOne();
    }

    [HttpGet("unnamed/{id}")]
    public string Unnamed(int id) => $"{id}:{pool.ActiveClasses()}";

    public sealed record Place(string Name);
}
