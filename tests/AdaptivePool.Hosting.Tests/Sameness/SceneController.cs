using System.Reflection;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.ApplicationParts;
using Microsoft.AspNetCore.Mvc.Controllers;
using Microsoft.AspNetCore.Mvc.Filters;
using Microsoft.Extensions.DependencyInjection;

namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>Endpoints of a scene as actions. Found by no other application.</summary>
[NonController]
public sealed class SceneController : ControllerBase
{
    [Route("action/{index:int}")]
    [Notes]
    public async Task<IActionResult> Run(int index)
    {
        await Step.RunAsync(HttpContext, HttpContext.RequestServices.GetRequiredService<Scene>().Endpoints[index].Steps);
        return HttpContext.Response.HasStarted ? new EmptyResult() : new AcceptedResult();
    }

    internal sealed class Feature : IApplicationFeatureProvider<ControllerFeature>
    {
        public void PopulateFeature(IEnumerable<ApplicationPart> parts, ControllerFeature feature)
            => feature.Controllers.Add(typeof(SceneController).GetTypeInfo());
    }

    [AttributeUsage(AttributeTargets.Method)]
    private sealed class NotesAttribute : Attribute, IAsyncActionFilter, IExceptionFilter
    {
        public async Task OnActionExecutionAsync(ActionExecutingContext context, ActionExecutionDelegate next)
        {
            await Task.Yield();
            Trace.Of(context.HttpContext).Add("filter in");
            ActionExecutedContext executed = await next();
            Trace.Of(context.HttpContext).Add($"filter out {executed.Exception?.GetType().Name}");
        }

        public void OnException(ExceptionContext context) => Trace.Of(context.HttpContext).Add($"filter threw {Trace.Say(context.Exception)}");
    }
}
