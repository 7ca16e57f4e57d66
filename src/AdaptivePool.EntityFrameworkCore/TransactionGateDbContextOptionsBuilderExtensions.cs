using AdaptivePool.Admission;
using AdaptivePool.Data;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.Extensions.DependencyInjection;

namespace AdaptivePool.EntityFrameworkCore;

/// <summary>Puts the transactions of a context behind a gate.</summary>
public static class TransactionGateDbContextOptionsBuilderExtensions
{
    /// <summary>
    /// Each transaction of the context enters the gate before it begins, also those that SaveChanges begins by itself, and leaves it with commit, rollback or
    /// the end of its connection. What the context writes without a transaction (SaveChanges of one row, ExecuteUpdate, ExecuteDelete) enters it too, for as
    /// long as the statement takes; other statements outside a transaction pass freely unless they count. A refusal is a
    /// <see cref="TransactionRefusedException"/>, inside a <see cref="DbUpdateException"/> where SaveChanges needs no transaction.
    /// Execution strategies retry it only if told to.
    /// </summary>
    /// <remarks>
    /// A lease taken by an asynchronous begin does not flow to the caller: a transaction of a second context inside the first needs a second permit, unless the
    /// caller is inside the gate already, such as in an endpoint behind it.
    /// A transaction disposed without commit or rollback on a connection that the application opened keeps its permit until that closes or begins its next
    /// transaction.
    /// </remarks>
    /// <param name="builder">Options of the context.</param>
    /// <param name="gate">The gate; stays the caller's to dispose.</param>
    /// <param name="request">How the transactions ask to enter. Default: nameless, with normal priority.</param>
    /// <param name="autoCommit">What all other statements outside a transaction do: queries, and SQL of the application's own.
    /// Default <see cref="AutoCommitHandling.Pass"/>.</param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> or <paramref name="gate"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="autoCommit"/> or the priority is none of its values.</exception>
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

    /// <summary>As <see cref="UseTransactionGate(DbContextOptionsBuilder, TransactionGate, TransactionRequest, AutoCommitHandling)"/>, with a gate of the
    /// application's services by its key, as <c>AddTransactionGate</c> adds it.</summary>
    /// <param name="builder">Options of the context, inside <c>AddDbContext</c>.</param>
    /// <param name="gateName">Name of the gate. Not empty.</param>
    /// <param name="request">How the transactions ask to enter. Default: nameless, with normal priority.</param>
    /// <param name="autoCommit">What all other statements outside a transaction do: queries, and SQL of the application's own.
    /// Default <see cref="AutoCommitHandling.Pass"/>.</param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="gateName"/> is empty or white space.</exception>
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
    /// As <see cref="UseTransactionGate(DbContextOptionsBuilder, TransactionGate, TransactionRequest, AutoCommitHandling)"/>, and the options stay those of
    /// their context.
    /// </summary>
    /// <typeparam name="TContext">Type of the context.</typeparam>
    /// <inheritdoc cref="UseTransactionGate(DbContextOptionsBuilder, TransactionGate, TransactionRequest, AutoCommitHandling)"/>
    public static DbContextOptionsBuilder<TContext> UseTransactionGate<TContext>(
        this DbContextOptionsBuilder<TContext> builder, TransactionGate gate, TransactionRequest request = default,
        AutoCommitHandling autoCommit = AutoCommitHandling.Pass)
        where TContext : DbContext =>
        (DbContextOptionsBuilder<TContext>)UseTransactionGate((DbContextOptionsBuilder)builder, gate, request, autoCommit);

    /// <summary>
    /// As <see cref="UseTransactionGate(DbContextOptionsBuilder, string, TransactionRequest, AutoCommitHandling)"/>, and the options stay those of their
    /// context.
    /// </summary>
    /// <typeparam name="TContext">Type of the context.</typeparam>
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
