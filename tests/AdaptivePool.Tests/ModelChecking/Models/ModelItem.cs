namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>An item of a program: it is noted when it runs, and may do something more.</summary>
internal sealed class ModelItem(string name, Ledger ledger, Action? body = null) : IThreadPoolWorkItem
{
    public void Execute()
    {
        ledger.Note(VirtualThread.Current is { Id: >= 0 } runner ? runner.Id : Ledger.Outside, name);
        body?.Invoke();
    }

    public override int GetHashCode() => name.GetHashCode(StringComparison.Ordinal);

    public override bool Equals(object? obj) => ReferenceEquals(this, obj);

    public override string ToString() => name;
}
