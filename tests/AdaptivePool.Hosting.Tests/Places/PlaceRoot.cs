using Microsoft.AspNetCore.Components;
using Microsoft.AspNetCore.Components.Rendering;

namespace AdaptivePool.Hosting.Tests.Places;

/// <summary>The root of the pages: nothing around them.</summary>
public sealed class PlaceRoot : ComponentBase
{
    protected override void BuildRenderTree(RenderTreeBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.OpenComponent<PlacePage>(0);
        builder.CloseComponent();
    }
}
