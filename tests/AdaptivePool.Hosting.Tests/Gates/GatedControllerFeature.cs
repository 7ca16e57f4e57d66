using System.Reflection;
using Microsoft.AspNetCore.Mvc.ApplicationParts;
using Microsoft.AspNetCore.Mvc.Controllers;

namespace AdaptivePool.Hosting.Tests.Gates;

/// <summary>Adds <see cref="GatedController"/>, which is found by no application on its own: one without its gate does not start.</summary>
internal sealed class GatedControllerFeature : IApplicationFeatureProvider<ControllerFeature>
{
    public void PopulateFeature(IEnumerable<ApplicationPart> parts, ControllerFeature feature)
        => feature.Controllers.Add(typeof(GatedController).GetTypeInfo());
}
