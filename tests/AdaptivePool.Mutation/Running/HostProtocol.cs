namespace AdaptivePool.Mutation.Running;

/// <summary>The words with which the host, a child process, tells what happens. Test output goes nowhere, so each line is one of these.</summary>
internal static class HostProtocol
{
    /// <summary>First argument of the host; the assembly of the tests comes next.</summary>
    public const string Command = "host";

    /// <summary>Runs all cases and writes which mutants each reaches.</summary>
    public const string Record = "record";

    /// <summary>Runs given cases in their order until one fails.</summary>
    public const string Run = "run";

    public const string Start = "start\t";
    public const string Passed = "passed\t";
    public const string Failed = "failed\t";
    public const string Hits = "hits\t";
    public const string End = "end";
}
