using Microsoft.AspNetCore.Mvc;

namespace AdaptivePool.Hosting.Tests.Apps;

/// <summary>Reached by a conventional route, where one pattern serves all actions.</summary>
public sealed class ConventionalController(AdaptiveThreadPool pool) : Controller
{
    public string First() => pool.ActiveClasses();

    public string Second() => pool.ActiveClasses();
}
