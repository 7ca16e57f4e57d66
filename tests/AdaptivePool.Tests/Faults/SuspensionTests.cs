using System.Globalization;
using System.Runtime.InteropServices;

namespace AdaptivePool.Tests.Faults;

/// <summary>The whole process is stopped by a signal and goes on later: no runaway growth, nothing lost, no false rescue.</summary>
public sealed partial class SuspensionTests
{
    // linux/signal.h
    private const int SignalContinue = 18;
    private const int SignalStop = 19;

    /// <summary>Length of the stop: 1 s in the default run, more where the variable says so.</summary>
    private static TimeSpan Stop =>
        double.TryParse(Environment.GetEnvironmentVariable("ADAPTIVEPOOL_SUSPEND_SECONDS"), CultureInfo.InvariantCulture, out double seconds)
            ? TimeSpan.FromSeconds(seconds) : TimeSpan.FromSeconds(1);

    [LinuxTheory]
    [InlineData("hogs", 0)]
    [InlineData("sleepers", ChildLoad.Sleepers)]
    public void Stopped_AndContinued_GrowsNoFurther(string load, int needed)
    {
        using var child = new ChildRun("suspend", load);
        State before = Await(child, static s => s.Completed > 400);

        Send(child.Id, SignalStop).ShouldBe(0);
        using (var pause = new ManualResetEventSlim())
        {
            pause.Wait(Stop);
        }

        Send(child.Id, SignalContinue).ShouldBe(0);

        State after = Await(child, s => s.Completed > before.Completed + 400);
        // On a busy machine the load may not have all its threads when the stop comes.
        after.Peak.ShouldBeLessThanOrEqualTo(Math.Max(before.Peak, needed) + 2 + (2 * Environment.ProcessorCount), "a stop is no stall");
        child.Ask("end").ShouldBe("rescues 0");
        child.End().ShouldBe(0);
    }

    private static State Await(ChildRun child, Func<State, bool> condition)
    {
        State state = default;
        Eventually.Be(() => condition(state = Read(child)), "the load in the child process goes on");
        return state;
    }

    private static State Read(ChildRun child)
    {
        int[] numbers = [.. child.Ask("state").Split(' ').Select(static n => int.Parse(n, CultureInfo.InvariantCulture))];
        return new State(numbers[0], numbers[1]);
    }

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Send(int process, int signal);

    private readonly record struct State(int Peak, int Completed);
}
