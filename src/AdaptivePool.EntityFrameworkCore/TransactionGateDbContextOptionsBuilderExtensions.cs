using AdaptivePool.Data;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.Extensions.DependencyInjection;

namespace AdaptivePool.EntityFrameworkCore;

/// <summary>Puts the transactions of a context behind a gate.</summary>
public static class TransactionGateDbContextOptionsBuilderExtensions
{
    /// <summary>
    /// Makes each transaction of the context enter the gate before it begins, including those that SaveChanges begins itself, and leave it with commit,
    /// rollback, dispose or the end of its connection. Writes of the context without a transaction (SaveChanges of one row, ExecuteUpdate, ExecuteDelete) enter
    /// the gate too, for the duration of the statement. Other statements outside a transaction do not enter the gate unless they count as transactions. A
    /// refusal throws a <see cref="TransactionRefusedException"/>, inside a <see cref="DbUpdateException"/> if SaveChanges needs no transaction. Execution
    /// strategies retry it only if they are configured to.
    /// </summary>
    /// <remarks>
    /// A lease that an asynchronous begin takes does not flow to the caller. So a transaction of a second context inside the first needs a second permit,
    /// unless the caller is already inside the gate, such as in an endpoint behind it. Inside a transaction of System.Transactions nothing enters the gate.
    /// </remarks>
    /// <param name="builder">The options of the context.</param>
    /// <param name="gate">The gate. The caller must dispose it.</param>
    /// <param name="request">The request with which the transactions enter the gate. Default: no name, normal priority.</param>
    /// <param name="autoCommit">
    /// How all other statements outside a transaction are handled: queries, and SQL of the application's own. Default <see cref="AutoCommitHandling.Pass"/>.
    /// </param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> or <paramref name="gate"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="autoCommit"/> or the priority is not a defined value.</exception>
    public static DbContextOptionsBuilder UseTransactionGate(
        this DbContextOptionsBuilder builder, TransactionGate gate, TransactionRequest request = default,
        AutoCommitHandling autoCommit = AutoCommitHandling.Pass)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(gate);
        ThrowIfUnnamed(nameof(autoCommit), nameof(autoCommit), autoCommit);
        ThrowIfUnnamed(nameof(request), "The priority", request.Priority);
        return builder.AddInterceptors(new TransactionGateInterceptor(gate, request), new StatementGateInterceptor(gate, request, autoCommit));
    }

    /// <summary>
    /// Does the same as <see cref="UseTransactionGate(DbContextOptionsBuilder, TransactionGate, TransactionRequest, AutoCommitHandling)"/>, with a gate from
    /// the application's services. The key of the gate is the name passed to <c>AddTransactionGate</c>.
    /// </summary>
    /// <param name="builder">The options of the context, inside <c>AddDbContext</c>.</param>
    /// <param name="gateName">The name of the gate. Not empty.</param>
    /// <param name="request">The request with which the transactions enter the gate. Default: no name, normal priority.</param>
    /// <param name="autoCommit">
    /// How all other statements outside a transaction are handled: queries, and SQL of the application's own. Default <see cref="AutoCommitHandling.Pass"/>.
    /// </param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="gateName"/> is empty or white space.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="autoCommit"/> or the priority is not a defined value.</exception>
    /// <exception cref="InvalidOperationException">There is no such gate, or the options do not know the application's services.</exception>
    public static DbContextOptionsBuilder UseTransactionGate(
        this DbContextOptionsBuilder builder, string gateName, TransactionRequest request = default, AutoCommitHandling autoCommit = AutoCommitHandling.Pass)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrWhiteSpace(gateName);
        IServiceProvider services = builder.Options.FindExtension<CoreOptionsExtension>()?.ApplicationServiceProvider
            ?? throw new InvalidOperationException(
                $"The transaction gate '{gateName}' cannot be found: the options of the context do not know the application's services. "
                + "Configure the context with AddDbContext, or pass the gate itself.");
        return builder.UseTransactionGate(
            services.GetKeyedService<TransactionGate>(gateName)
                ?? throw new InvalidOperationException(
                    $"The transaction gate '{gateName}' does not exist. Call 'services.AddTransactionGate(\"{gateName}\")'."),
            request,
            autoCommit);
    }

    /// <summary>
    /// Does the same as <see cref="UseTransactionGate(DbContextOptionsBuilder, TransactionGate, TransactionRequest, AutoCommitHandling)"/>, and returns the
    /// options with the type of their context.
    /// </summary>
    /// <typeparam name="TContext">The type of the context.</typeparam>
    /// <inheritdoc cref="UseTransactionGate(DbContextOptionsBuilder, TransactionGate, TransactionRequest, AutoCommitHandling)"/>
    public static DbContextOptionsBuilder<TContext> UseTransactionGate<TContext>(
        this DbContextOptionsBuilder<TContext> builder, TransactionGate gate, TransactionRequest request = default,
        AutoCommitHandling autoCommit = AutoCommitHandling.Pass)
        where TContext : DbContext =>
        (DbContextOptionsBuilder<TContext>)UseTransactionGate((DbContextOptionsBuilder)builder, gate, request, autoCommit);

    /// <summary>
    /// Does the same as <see cref="UseTransactionGate(DbContextOptionsBuilder, string, TransactionRequest, AutoCommitHandling)"/>, and returns the options with
    /// the type of their context.
    /// </summary>
    /// <typeparam name="TContext">The type of the context.</typeparam>
    /// <inheritdoc cref="UseTransactionGate(DbContextOptionsBuilder, string, TransactionRequest, AutoCommitHandling)"/>
    public static DbContextOptionsBuilder<TContext> UseTransactionGate<TContext>(
        this DbContextOptionsBuilder<TContext> builder, string gateName, TransactionRequest request = default,
        AutoCommitHandling autoCommit = AutoCommitHandling.Pass)
        where TContext : DbContext =>
        (DbContextOptionsBuilder<TContext>)UseTransactionGate((DbContextOptionsBuilder)builder, gateName, request, autoCommit);

    private static void ThrowIfUnnamed<T>(string argument, string option, T value)
        where T : struct, Enum
    {
        if (!Enum.IsDefined(value))
        {
            throw new ArgumentOutOfRangeException(argument, value, $"{option} is '{value}'; allowed: {string.Join(", ", Enum.GetNames<T>())}.");
        }
    }
}
