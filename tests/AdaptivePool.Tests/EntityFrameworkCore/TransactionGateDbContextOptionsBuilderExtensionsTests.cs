using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.Extensions.DependencyInjection;

namespace AdaptivePool.Tests.EntityFrameworkCore;

/// <summary>Options of a context of one type stay those of that type.</summary>
public sealed class TransactionGateDbContextOptionsBuilderExtensionsTests
{
    [Fact]
    public void UseTransactionGate_TypedBuilder_StaysTyped()
    {
        using TransactionGate gate = CreateGate();
        var builder = new DbContextOptionsBuilder<Rows>();

        DbContextOptions<Rows> options = builder.UseTransactionGate(gate).Options;

        builder.UseTransactionGate(gate).ShouldBeSameAs(builder);
        InterceptorsOf(options).ShouldBe([nameof(TransactionGateInterceptor), nameof(StatementGateInterceptor)]);
    }

    [Fact]
    public void UseTransactionGate_TypedBuilderAndAName_StaysTyped()
    {
        using ServiceProvider provider = new ServiceCollection().AddKeyedSingleton("bank", CreateGate()).BuildServiceProvider();

        DbContextOptions<Rows> options = new DbContextOptionsBuilder<Rows>().UseApplicationServiceProvider(provider).UseTransactionGate("bank").Options;

        InterceptorsOf(options).ShouldBe([nameof(TransactionGateInterceptor), nameof(StatementGateInterceptor)]);
    }

    [Fact]
    public void UseTransactionGate_TypedBuilder_RefusesWhatTheUntypedDoes()
    {
        using TransactionGate gate = CreateGate();
        DbContextOptionsBuilder<Rows> builder = new();
        Should.Throw<ArgumentNullException>(() => ((DbContextOptionsBuilder<Rows>)null!).UseTransactionGate(gate)).ParamName.ShouldBe("builder");
        Should.Throw<ArgumentNullException>(() => builder.UseTransactionGate((TransactionGate)null!)).ParamName.ShouldBe("gate");
        Should.Throw<ArgumentOutOfRangeException>(() => builder.UseTransactionGate(gate, autoCommit: (AutoCommitHandling)7)).ParamName.ShouldBe("autoCommit");
        Should.Throw<ArgumentOutOfRangeException>(() => builder.UseTransactionGate(gate, new TransactionRequest { Priority = (TransactionPriority)9 })).Message
            .ShouldStartWith("The priority is '9'; allowed: Low, Normal, High, Admin.");
        Should.Throw<ArgumentException>(() => builder.UseTransactionGate(" ")).ParamName.ShouldBe("gateName");
        Should.Throw<InvalidOperationException>(() => builder.UseTransactionGate("bank")).Message.ShouldContain("AddDbContext");
    }

    private static TransactionGate CreateGate() => new(new TransactionGateOptions { PermitLimit = 1 });

    private static IEnumerable<string> InterceptorsOf(DbContextOptions options) =>
        options.FindExtension<CoreOptionsExtension>()!.Interceptors!.Select(static it => it.GetType().Name);

    private sealed class Rows(DbContextOptions<Rows> options) : DbContext(options);
}
