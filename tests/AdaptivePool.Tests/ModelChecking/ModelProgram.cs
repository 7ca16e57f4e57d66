namespace AdaptivePool.Tests.ModelChecking;

/// <summary>What the checker explores: a fresh set of threads over fresh objects, and what must hold at the end.</summary>
/// <param name="Threads">The threads. They meet only through the shim, and do the same whenever they see the same.</param>
/// <param name="Check">Throws unless the end is right. Runs alone after the threads have ended or sleep for good.</param>
/// <param name="Dismiss">Lets threads that sleep for good end, after the check. Without it a thread that sleeps for good is a failure of its own.</param>
internal sealed record ModelProgram(Action[] Threads, Action Check, Action? Dismiss = null)
{
    /// <summary>
    /// The end of the preparation, after the threads that it started have gone to sleep and everybody has seen all of it: what they do until then is not
    /// explored. Without it they begin with the threads of the program.
    /// </summary>
    public Action? OnRest { get; init; }

    /// <summary>Steps after which a run counts as one that does not end, where it takes more than usual.</summary>
    public int MaxSteps { get; init; }
}
