namespace AdaptivePool.Tests.ModelChecking;

/// <summary>One write to a location: its value, and what a reader that acquires it has seen.</summary>
internal sealed class Message(long number, object? reference, View? view, bool isUpdate)
{
    public long Number { get; } = number;

    public object? Reference { get; } = reference;

    public View? View { get; set; } = view;

    /// <summary>Whether an atomic read-modify-write made it: nothing may come between it and the message before it.</summary>
    public bool IsUpdate { get; } = isUpdate;

    /// <summary>Its place in the order of the location's writes.</summary>
    public int Index { get; set; }
}
