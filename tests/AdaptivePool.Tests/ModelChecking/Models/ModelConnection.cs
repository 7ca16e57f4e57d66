namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>A connection under check: how many use it, and whether it was closed.</summary>
internal sealed class ModelConnection(string name)
{
    private int _users;

    public bool IsClosed { get; private set; }

    public void Begin()
    {
        ModelFailureException.Require(ModelSync.Increment(ref _users, string.Empty, 1) == 1, $"{this} was handed out twice");
        ModelFailureException.Require(!IsClosed, $"{this} was handed out after it was closed");
    }

    public void End() => ModelSync.Decrement(ref _users, string.Empty, 2);

    public void Close()
    {
        ModelFailureException.Require(!IsClosed && ModelSync.VolatileRead(ref _users, string.Empty, 3) == 0, $"{this} was closed twice, or while it was used");
        IsClosed = true;
    }

    public override string ToString() => name;
}
