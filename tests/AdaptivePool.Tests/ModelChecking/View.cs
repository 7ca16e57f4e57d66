using System.Numerics;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>The newest write of each location that somebody must have seen.</summary>
internal sealed class View
{
    private Message?[] _seen = new Message?[8];

    public Message? this[Location location] => location.Id < _seen.Length ? _seen[location.Id] : null;

    /// <summary>Locations it has room for.</summary>
    public int Length => _seen.Length;

    public int IndexOf(int location) => location < _seen.Length && _seen[location] is { } message ? message.Index : 0;

    public void See(Location location, Message message)
    {
        Reserve(location.Id + 1);
        if (_seen[location.Id] is not { } before || before.Index < message.Index)
        {
            _seen[location.Id] = message;
        }
    }

    public void Join(View? other)
    {
        if (other is null || ReferenceEquals(this, other))
        {
            return;
        }

        Reserve(other._seen.Length);
        for (int i = 0; i < other._seen.Length; i++)
        {
            if (other._seen[i] is { } message && (_seen[i] is not { } before || before.Index < message.Index))
            {
                _seen[i] = message;
            }
        }
    }

    public View Copy() => new() { _seen = [.. _seen] };

    private void Reserve(int count)
    {
        if (count > _seen.Length)
        {
            // A power of two: two views that take over from each other stay of one length. Twice the own length would make them longer and longer, each time
            // more than the other's.
            Array.Resize(ref _seen, (int)BitOperations.RoundUpToPowerOf2((uint)count));
        }
    }
}
