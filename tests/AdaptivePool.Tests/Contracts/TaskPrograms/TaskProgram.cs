namespace AdaptivePool.Tests.Contracts.TaskPrograms;

/// <summary>
/// A program of tasks made by chance: a tree of steps, each of which runs its children in its own way and tells what it sees. The whole text follows from the
/// tree alone, whatever runs it.
/// </summary>
internal sealed class TaskProgram
{
    private const int MostParts = 24;
    private const int MostDepth = 5;

    private TaskProgram(TaskStep? step, int number, bool mayBlock, TaskProgram[] children) =>
        (Step, Number, MayBlock, Children) = (step, number, mayBlock, children);

    /// <summary>How it runs its children; <see langword="null"/> for a leaf.</summary>
    public TaskStep? Step { get; }

    /// <summary>Chooses among the ways of the step, and what a leaf throws.</summary>
    public int Number { get; }

    /// <summary>Whether it may hold its thread for something that this thread cannot do.</summary>
    public bool MayBlock { get; }

    public TaskProgram[] Children { get; }

    public static TaskProgram Make(Random random, TaskStep[] steps, bool mayBlock)
    {
        int left = MostParts;
        return Make(random, [.. steps.Where(step => mayBlock || !step.Blocks)], mayBlock, mayAwait: true, depth: 0, ref left);
    }

    /// <summary>One of the values: always the same for the same question.</summary>
    public T Pick<T>(int question, params ReadOnlySpan<T> values)
    {
        uint mixed = unchecked(((uint)Number * 2_654_435_761u) + ((uint)question * 2_246_822_519u));
        return values[(int)(mixed >> 9) % values.Length];
    }

    /// <summary>Runs it on the calling thread.</summary>
    public string Do(TaskHost host)
    {
        host.Begin(this);
        try
        {
            return Step is null ? Leaf(host)
                : Step.Do is { } step ? Tell(step(host, this))
                : Tell(Step.Run!(host, this).GetAwaiter().GetResult());
        }
        finally
        {
            host.End(this);
        }
    }

    /// <summary>Runs it by awaits, where it has any.</summary>
    public async Task<string> Run(TaskHost host)
    {
        if (Step is { Run: { } step })
        {
            host.Begin(this);
            try
            {
                return Tell(await step(host, this));
            }
            finally
            {
                host.End(this);
            }
        }

        if (Step is null && Pick(2, true, false))
        {
            await Task.Yield();
        }

        return Do(host);
    }

    /// <summary>Runs it on the calling thread; what it throws is a part of the text.</summary>
    public string Try(TaskHost host)
    {
        try
        {
            return Do(host);
        }
        catch (Exception exception) when (exception is TaskStepException or OperationCanceledException or AggregateException)
        {
            return Outcome.Of(exception);
        }
    }

    /// <summary>The same by awaits.</summary>
    public async Task<string> TryRun(TaskHost host)
    {
        try
        {
            return await Run(host);
        }
        catch (Exception exception) when (exception is TaskStepException or OperationCanceledException or AggregateException)
        {
            return Outcome.Of(exception);
        }
    }

    public override string ToString() => Step is null ? $"{Number}" : $"{Step.Name}/{Number}({string.Join(", ", (object[])Children)})";

    private static TaskProgram Make(Random random, TaskStep[] steps, bool mayBlock, bool mayAwait, int depth, ref int left)
    {
        left--;
        int number = random.Next(1, 100_000);
        TaskStep[] mine = mayAwait ? steps : [.. steps.Where(static step => step.Do is not null)];
        if (depth >= MostDepth || left <= 0 || mine.Length == 0 || (depth > 0 && random.Next(5) == 0))
        {
            return new TaskProgram(step: null, number, mayBlock, []);
        }

        TaskStep chosen = mine[random.Next(mine.Length)];
        var children = new TaskProgram[random.Next(1, chosen.MostChildren + 1)];
        for (int i = 0; i < children.Length; i++)
        {
            bool childMayAwait = mayAwait && !chosen.MayNotAwait && (mayBlock || !(chosen.CallsChildren || chosen.Run is null));
            children[i] = Make(random, steps, mayBlock, childMayAwait, depth + 1, ref left);
        }

        return new TaskProgram(chosen, number, mayBlock, children);
    }

    private string Tell(string seen) => $"{Step!.Name}({seen})";

    private string Leaf(TaskHost host) => (Number % 23) switch
    {
        0 => throw new TaskStepException(Number),
        1 => throw new OperationCanceledException(),
        _ => $"{Number} {host.Look()}",
    };
}
