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
    public string Named() => ActiveClasses();

    [HttpGet("unnamed/{id}")]
    public string Unnamed(int id) => $"{id}:{ActiveClasses()}";

    private string ActiveClasses() => string.Join(';', pool.GetSnapshot().Classes.Where(workClass => workClass.Active > 0).Select(workClass => workClass.Name));

    public sealed record Place(string Name);
}
