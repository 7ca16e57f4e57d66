namespace AdaptivePool.Mutation.Running;

/// <summary>A test case: the class and the name that is shown, arguments included.</summary>
internal sealed record TestId(string Class, string Name)
{
    public override string ToString() => $"{Class}\t{Name}";

    public static TestId Parse(string text) =>
        text.Split('\t') is [var type, var name, ..] ? new TestId(type, name) : throw new FormatException($"No test case: {text}");
}
