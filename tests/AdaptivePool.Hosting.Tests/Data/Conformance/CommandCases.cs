using System.Data;
using System.Data.Common;

namespace AdaptivePool.Hosting.Tests.Data.Conformance;

internal static class CommandCases
{
    public static IReadOnlyList<ConformanceCase> All { get; } =
    [
        new("command: results of each kind", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            b.Note(b.Command(connection, "SELECT v FROM t WHERE id = 1").ExecuteScalar());
            b.Note(await b.Command(connection, "SELECT v FROM t WHERE id = 3").ExecuteScalarAsync());
            b.Note(await b.Command(connection, "SELECT v FROM t WHERE id = 9").ExecuteScalarAsync());
            b.Note(b.Command(connection, "UPDATE t SET v = 'x' WHERE id < 3").ExecuteNonQuery());
            b.Note(await b.Command(connection, "DELETE FROM t").ExecuteNonQueryAsync());
        }),
        new("command: parameters", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            using DbCommand command = b.Command(connection, "SELECT v FROM t WHERE id = @id", ("@id", 2));
            b.Note(command.ExecuteScalar());
            command.Parameters["@id"].Value = 1;
            b.Note(await command.ExecuteScalarAsync());
            b.Note(command.Parameters.Count);
            b.Note(command.CreateParameter().GetType().Name);
            b.Note(command.Parameters.GetType().Name);
            b.Try(() => command.Parameters["@none"]);
        }),
        new("command: prepared and used again", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            using DbCommand command = b.Command(connection, "SELECT v FROM t WHERE id = @id", ("@id", 1));
            command.Parameters[0].DbType = DbType.Int32;
            b.Do(command.Prepare);
            await b.DoAsync(() => command.PrepareAsync());
            foreach (int id in new[] { 2, 1, 3 })
            {
                command.Parameters[0].Value = id;
                b.Note(await command.ExecuteScalarAsync());
            }
        }),
        new("command: prepared while closed", static async b =>
        {
            await using DbConnection connection = b.Source.CreateConnection();
            b.Do(b.Command(connection, "SELECT 1").Prepare);
            await b.DoAsync(() => b.Command(connection, "SELECT 1").PrepareAsync());
        }),
        new("command: made closed, run open, and again after", static async b =>
        {
            await using DbConnection connection = b.Source.CreateConnection();
            using DbCommand command = b.Command(connection, "SELECT 4");
            b.Try(() => command.ExecuteScalar());
            connection.Open();
            b.Try(() => command.ExecuteScalar());
            connection.Close();
            await b.TryAsync(() => command.ExecuteScalarAsync());
            connection.Open();
            b.Try(() => command.ExecuteScalar());
        }),
        new("command: given another connection", static async b =>
        {
            await using DbConnection first = await b.Source.OpenConnectionAsync();
            await using DbConnection second = await b.Source.OpenConnectionAsync();
            using DbCommand command = b.Command(first, "SELECT v FROM t WHERE id = 1");
            b.Note(command.ExecuteScalar());
            command.Connection = second;
            b.Note(ReferenceEquals(command.Connection, second));
            await first.CloseAsync();
            b.Try(() => command.ExecuteScalar());
            command.Connection = null;
            b.Note(command.Connection);
            await b.TryAsync(() => command.ExecuteScalarAsync());
        }),
        new("command: given its own connection once more", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await using DbTransaction transaction = await connection.BeginTransactionAsync();
            using DbCommand command = b.Command(connection, "UPDATE t SET v = 'again' WHERE id = 1");
            command.Transaction = transaction;
            b.Try(() => command.ExecuteNonQuery());
            command.Connection = connection;
            b.Note(ReferenceEquals(command.Transaction, transaction));
            b.Try(() => command.ExecuteNonQuery());
            await transaction.RollbackAsync();
            b.Note(b.Scalar("SELECT v FROM t WHERE id = 1"));
        }),
        new("command: without text", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            using DbCommand command = connection.CreateCommand();
            b.Note(command.CommandText);
            b.Try(() => command.ExecuteScalar());
            b.Try(() => command.ExecuteNonQuery());
            command.CommandText = null;
            b.Note(command.CommandText);
        }),
        new("command: text that is wrong", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            b.Try(() => b.Command(connection, "SELEC 1").ExecuteScalar());
            await b.TryAsync(() => b.Command(connection, "SELECT * FROM nowhere").ExecuteReaderAsync());
            b.Try(() => b.Command(connection, "SELECT 5").ExecuteScalar());
            b.Note(connection.State);
        }),
        new("command: its properties", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            using DbCommand command = connection.CreateCommand();
            b.Note(command.CommandTimeout);
            command.CommandTimeout = 7;
            b.Note(command.CommandTimeout);
            b.Do(() => command.CommandTimeout = -1);
            b.Note(command.CommandType);
            b.Do(() => command.CommandType = CommandType.TableDirect);
            b.Note(command.DesignTimeVisible);
            b.Note(command.UpdatedRowSource);
            command.UpdatedRowSource = UpdateRowSource.Both;
            b.Note(command.UpdatedRowSource);
            b.Note(ReferenceEquals(command.Connection, connection));
            b.Note(command.Transaction);
        }),
        new("command: disposed", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            DbCommand command = b.Command(connection, "SELECT 6");
            command.Dispose();
            b.Try(() => command.ExecuteScalar());
            await b.TryAsync(() => command.ExecuteReaderAsync());
            b.Do(command.Dispose);
            await b.DoAsync(() => command.DisposeAsync().AsTask());
        }),
        new("command: a disposed one changes no other", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            DbCommand first = b.Command(connection, "SELECT 1");
            b.Note(first.ExecuteScalar());
            await first.DisposeAsync();
            using DbCommand second = b.Command(connection, "SELECT 2", ("@p", 1));
            b.Note(second.ExecuteScalar());
            b.Note(second.Parameters.Count);
        }),
        new("command: cancelled with nothing to cancel", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            using DbCommand command = b.Command(connection, "SELECT 1");
            b.Do(command.Cancel);
            b.Try(() => command.ExecuteScalar());
            b.Do(command.Cancel);
            connection.Close();
            b.Do(command.Cancel);
        }),
        new("command: with a cancelled token", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            var cancelled = new CancellationToken(canceled: true);
            await b.TryAsync(() => b.Command(connection, "SELECT 1").ExecuteScalarAsync(cancelled));
            await b.TryAsync(() => b.Command(connection, "SELECT 1").ExecuteNonQueryAsync(cancelled));
            await b.TryAsync(() => b.Command(connection, "SELECT 1").ExecuteReaderAsync(cancelled));
            b.Try(() => b.Command(connection, "SELECT 1").ExecuteScalar());
        }),
        new("command: another kind of connection or transaction", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            using DbCommand command = connection.CreateCommand();
            b.Do(() => command.Connection = new OtherConnection());
        }),
    ];

    private sealed class OtherConnection : DbConnection
    {
        [System.Diagnostics.CodeAnalysis.AllowNull]
        public override string ConnectionString { get; set; } = "";

        public override string Database => "";

        public override string DataSource => "";

        public override string ServerVersion => "";

        public override ConnectionState State => ConnectionState.Closed;

        public override void ChangeDatabase(string databaseName)
        {
        }

        public override void Close()
        {
        }

        public override void Open()
        {
        }

        protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel) => throw new NotSupportedException();

        protected override DbCommand CreateDbCommand() => throw new NotSupportedException();
    }
}
