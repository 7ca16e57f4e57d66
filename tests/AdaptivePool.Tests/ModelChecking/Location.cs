namespace AdaptivePool.Tests.ModelChecking;

/// <summary>A piece of shared memory (or a trusted queue, or a lock): all writes to it, in their order.</summary>
internal sealed class Location(int id)
{
    private readonly List<Message> _messages = [];

    public int Id { get; } = id;

    public int Count => _messages.Count;

    public Message Last => _messages[^1];

    public Message this[int index] => _messages[index];

    /// <summary>The thread inside the lock, if this is one.</summary>
    public VirtualThread? Owner { get; set; }

    public void Insert(int index, Message message)
    {
        _messages.Insert(index, message);
        for (int i = index; i < _messages.Count; i++)
        {
            _messages[i].Index = i;
        }
    }
}
