using System.Data.Common;
using AdaptivePool.Data;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.Data;

public sealed class GatedConnectionTests
{
    /// <summary>It is a mistake of the user's, who has waited for a permit that only the first transaction could give back.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Begin_InsideATransactionOfTheConnectionAtAFullGate_FailsAtOnceAsWithTheProvider(bool isAsync)
    {
        using var test = new TestGate(1, static options => options.FlowsWithContext = false);
        var inner = new FakeDataSource();
        await using var source = new GatedDataSource(inner, test.Gate);
        await using DbConnection connection = await source.OpenConnectionAsync();
        DbTransaction first = await connection.BeginTransactionAsync();
        inner.Fails = "begin";

        Task second = Task.Run(async () => _ = isAsync ? await connection.BeginTransactionAsync() : connection.BeginTransaction());

        (await Should.ThrowAsync<InvalidOperationException>(() => second.WaitAsync(TestGate.Patience))).Message.ShouldBe("begin failed");
        test.Gate.GetSnapshot().Held.ShouldBe(1);
        await first.CommitAsync();
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }
}
