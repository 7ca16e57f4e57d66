namespace AdaptivePool.Stacks;

/// <summary>One frame of a stack by its names.</summary>
/// <param name="Assembly">Simple name of the assembly.</param>
/// <param name="Type">Full name of the type; nested ones after a plus.</param>
/// <param name="Method">Name of the method.</param>
internal sealed record FrameName(string Assembly, string Type, string Method);
