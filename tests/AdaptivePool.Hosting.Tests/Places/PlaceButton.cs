using System.Collections.Concurrent;
using Microsoft.JSInterop;

namespace AdaptivePool.Hosting.Tests.Places;

/// <summary>What a script in a page of Blazor Server can call: runs in the circuit that the call came through.</summary>
public static class PlaceButton
{
    private static readonly ConcurrentDictionary<string, PlaceNotes> s_notes = new(StringComparer.Ordinal);

    [JSInvokable]
    public static Task Click(string name) => s_notes[name].TakeAsync();

    /// <summary>Gives the button of this name its notes.</summary>
    internal static void Add(string name, PlaceNotes notes) => s_notes[name] = notes;
}
