namespace AdaptivePool.Tests.ModelChecking;

/// <summary>Decides at each choice point. Zero is the default everywhere: the running thread goes on, and reads see the newest write.</summary>
internal interface IStrategy
{
    /// <summary>
    /// Whether choice points are left out before plain accesses and between two reads. Little is lost: a thread that stops between reads of A and B sees an old
    /// A and a new B; one that stops before both sees the same when it reads an older write of A, which is a choice of its own (and counts against the bound of
    /// ages).
    /// </summary>
    bool IsCoarse { get; }

    /// <summary>Whether reads always see the newest write: then nobody needs to know who has seen what, and runs may be long.</summary>
    bool IsSequential => false;

    /// <summary>Prepares the next run.</summary>
    void Begin(Execution run);

    /// <summary>Chooses who goes on.</summary>
    /// <param name="candidates">Numbers of threads that can go on; if the running one can, it is the first.</param>
    /// <param name="isPreemption">Whether choosing another than the first takes the processor from a thread that could go on.</param>
    /// <returns>An index into the candidates.</returns>
    int ChooseThread(ReadOnlySpan<int> candidates, bool isPreemption);

    /// <summary>
    /// Chooses how old the write is that a read sees, where a write goes among those that its thread has not seen, or whether a sleep ends for no reason.
    /// </summary>
    /// <returns>0 (the newest) to options - 1.</returns>
    int ChooseAge(int options);

    /// <summary>Ends a run.</summary>
    /// <param name="isVoid">Whether the run must be repeated as if it had not been.</param>
    /// <returns>Whether there is another run.</returns>
    bool End(bool isVoid);
}
