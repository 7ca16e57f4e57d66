using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

public sealed class LastAnswerTests
{
    /// <summary>The item whose type it was asked of had been taken from its queue, and was lost.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void For_NoMemoryToFindTheAnswer_IsTheOtherOneAndAsksAgain(bool otherwise)
    {
        bool isFull = true;
        int asked = 0;
        var answer = new LastAnswer(
            _ =>
            {
                asked++;
                return isFull ? throw new OutOfMemoryException("injected") : !otherwise;
            },
            otherwise);
        answer.For("").ShouldBe(otherwise);
        isFull = false;
        answer.For("").ShouldBe(!otherwise);
        answer.For("").ShouldBe(!otherwise);
        asked.ShouldBe(2);
    }
}
