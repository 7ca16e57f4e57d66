namespace AdaptivePool.Data;

/// <summary>The factory of a <see cref="GatedDataSource"/>: its connections and commands are gated, parameters and connection strings are the provider's
/// own.</summary>
internal sealed class GatedProviderFactory(GatedDataSource source, DbDataSource inner) : DbProviderFactory
{
    public override bool CanCreateBatch => Provider?.CanCreateBatch ?? false;

    public override bool CanCreateDataAdapter => true;

    // Made for the provider's own adapters and commands only.
    public override bool CanCreateCommandBuilder => false;

    public override bool CanCreateDataSourceEnumerator => Provider?.CanCreateDataSourceEnumerator ?? false;

    private DbProviderFactory? Provider => field ??= Find();

    private DbProviderFactory Known => Provider ?? throw new NotSupportedException("The provider has no factory.");

    public override DbConnection CreateConnection() => source.CreateConnection();

    public override DbCommand? CreateCommand() =>
        Provider?.CreateCommand() is { } command ? new GatedCommand(connection: null, transaction: null, command) : null;

    public override DbBatch CreateBatch() =>
        new GatedBatch(connection: null, transaction: null, Known.CreateBatch());

    public override DbBatchCommand CreateBatchCommand() => Known.CreateBatchCommand();

    public override DbParameter? CreateParameter() => Provider?.CreateParameter();

    public override DbDataAdapter CreateDataAdapter() => new GatedDataAdapter();

    public override DbConnectionStringBuilder? CreateConnectionStringBuilder() => Provider?.CreateConnectionStringBuilder();

    public override DbDataSourceEnumerator? CreateDataSourceEnumerator() => Provider?.CreateDataSourceEnumerator();

    /// <summary>Finds the provider's factory. The provider's data source does not know it, but its connections do.</summary>
    private DbProviderFactory? Find()
    {
        using DbConnection connection = inner.CreateConnection();
        return DbProviderFactories.GetFactory(connection);
    }
}
