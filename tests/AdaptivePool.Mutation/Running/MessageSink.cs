using Xunit.Abstractions;

namespace AdaptivePool.Mutation.Running;

/// <summary>Hands the messages of the test framework to a function.</summary>
internal sealed class MessageSink(Func<IMessageSinkMessage, bool> onMessage) : IMessageSink
{
    public bool OnMessage(IMessageSinkMessage message) => onMessage(message);
}
