using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Components;
using Microsoft.AspNetCore.Components.Rendering;

namespace AdaptivePool.Hosting.Tests.Places;

/// <summary>A page that tells where it is rendered.</summary>
[Route("/page")]
public sealed class PlacePage : ComponentBase
{
    private string _places = "";

    protected override async Task OnInitializedAsync()
    {
        var begin = Whereabouts.Here();
        await Task.Delay(1);
        _places = $"{begin}, {Whereabouts.Here()}";
    }

    protected override void BuildRenderTree(RenderTreeBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.AddContent(0, _places);
    }
}
