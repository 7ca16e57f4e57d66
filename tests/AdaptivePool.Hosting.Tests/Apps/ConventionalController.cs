using Microsoft.AspNetCore.Mvc;

namespace AdaptivePool.Hosting.Tests.Apps;

/// <summary>Reached by a conventional route, where one pattern serves all actions.</summary>
public sealed class ConventionalController(AdaptiveThreadPool pool) : Controller
{
    public string First() => ActiveClasses();

    public string Second() => ActiveClasses();

    private string ActiveClasses() => string.Join(';', pool.GetSnapshot().Classes.Where(workClass => workClass.Active > 0).Select(workClass => workClass.Name));
}
