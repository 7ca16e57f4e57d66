namespace AdaptivePool.Tests;

/// <summary>A work item that notes what becomes of it.</summary>
internal sealed class RefusableItem : IRefusableWorkItem
{
    public TaskCompletionSource<WorkRefusedException?> Outcome { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public AdaptiveThreadPool? RefusedOn { get; private set; }

    public void Execute() => Outcome.SetResult(null);

    public void Refuse(WorkRefusedException refusal)
    {
        RefusedOn = AdaptiveThreadPool.Current;
        Outcome.SetResult(refusal);
    }
}
