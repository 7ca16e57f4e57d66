using System.Data;
using System.Data.Common;

namespace AdaptivePool.Hosting.Tests.Data.Conformance;

internal static class ReaderCases
{
    private const string Rows = "SELECT id, v FROM t ORDER BY id";

    public static IReadOnlyList<ConformanceCase> All { get; } =
    [
        new("reader: rows and values", static b => ReadAsync(b, Rows, static async (b, reader) =>
        {
            b.Note(reader.HasRows);
            b.Note(reader.FieldCount);
            b.Note(reader.VisibleFieldCount);
            b.Note(reader.Depth);
            while (await reader.ReadAsync())
            {
                b.Note(reader.GetInt32(0));
                b.Note(reader.GetInt64(0));
                b.Note(reader.GetFieldValue<int>(0));
                b.Note(await reader.GetFieldValueAsync<int>(0));
                b.Note(reader["id"]);
                b.Note(reader[1]);
                b.Note(reader.IsDBNull(1));
                b.Note(await reader.IsDBNullAsync(1));
                b.Try(() => reader.GetString(1));
                b.Note(reader.GetValue(1));
                object[] values = new object[2];
                b.Note(reader.GetValues(values));
                b.Note(values);
            }

            b.Note(reader.Read());
        })),
        new("reader: names and types", static b => ReadAsync(b, Rows, static (b, reader) =>
        {
            reader.Read();
            b.Note(reader.GetName(1));
            b.Note(reader.GetOrdinal("V"));
            b.Try(() => reader.GetOrdinal("none"));
            b.Try(() => reader.GetName(7));
            b.Note(reader.GetFieldType(0).Name);
            b.Note(reader.GetDataTypeName(1));
            b.Try(() => reader.GetProviderSpecificFieldType(0).Name);
            b.Try(() => reader.GetProviderSpecificValue(0));
            return Task.CompletedTask;
        })),
        new("reader: bytes, characters, streams", static b => ReadAsync(b, "SELECT v, v FROM t WHERE id = 2", static async (b, reader) =>
        {
            await reader.ReadAsync();
            char[] characters = new char[2];
            b.Try(() => reader.GetChars(0, 1, characters, 0, 2));
            b.Note(new string(characters));
            b.Try(() => reader.GetChar(0));
            b.Try(() => reader.GetBytes(0, 0, new byte[2], 0, 2));
            using (TextReader text = reader.GetTextReader(1))
            {
                b.Note(await text.ReadToEndAsync());
            }

            using Stream stream = reader.GetStream(1);
            b.Note(stream.ReadByte());
            b.Note(await stream.ReadAsync(new byte[8]));
            b.Note(stream.CanWrite);
        })),
        new("reader: schema", static b => ReadAsync(b, Rows, static async (b, reader) =>
        {
            b.Try(() => reader.GetSchemaTable()?.Rows.Count);
            await b.TryAsync(async () => (await reader.GetSchemaTableAsync())?.Rows.Count);
            b.Try(() => reader.CanGetColumnSchema());
            b.Try(() => reader.GetColumnSchema().Select(static column => column.ColumnName));
            await b.TryAsync(async () => (await reader.GetColumnSchemaAsync()).Count);
        })),
        new("reader: several results", static b
            => ReadAsync(b, "SELECT 1; SELECT id FROM t ORDER BY id; UPDATE t SET v = 'y'; SELECT 3", static async (b, reader) =>
        {
            do
            {
                while (await reader.ReadAsync())
                {
                    b.Note(reader.GetInt64(0));
                }

                b.Note("end");
            }
            while (await reader.NextResultAsync());
            b.Note(reader.NextResult());
            await reader.CloseAsync();
            b.Note(reader.RecordsAffected);
        })),
        new("reader: an error in a later result", static b => ReadAsync(b, "SELECT 1; SELECT * FROM nowhere", static async (b, reader) =>
        {
            await b.TryAsync(() => reader.ReadAsync());
            await b.TryAsync(() => reader.NextResultAsync());
            await b.DoAsync(reader.CloseAsync);
        })),
        new("reader: an error in a later result, as the connection closes", static async b =>
        {
            foreach (bool isAsync in new[] { false, true })
            {
                foreach (bool isDisposed in new[] { false, true })
                {
                    DbConnection connection = await b.Source.OpenConnectionAsync();
                    await b.Command(connection, "SELECT 1; INSERT INTO t (id, v) VALUES (1, 'twice')").ExecuteReaderAsync();
                    await b.DoAsync(() => (isAsync, isDisposed) switch
                    {
                        (true, true) => connection.DisposeAsync().AsTask(),
                        (true, false) => connection.CloseAsync(),
                        (false, true) => Task.Run(connection.Dispose),
                        _ => Task.Run(connection.Close),
                    });
                    await connection.DisposeAsync();
                }
            }
        }),
        new("reader: closed", static b => ReadAsync(b, Rows, static async (b, reader) =>
        {
            await reader.ReadAsync();
            await reader.CloseAsync();
            b.Note(reader.IsClosed);
            b.Note(reader.RecordsAffected);
            b.Try(() => reader.Read());
            await b.TryAsync(() => reader.ReadAsync());
            b.Try(() => reader.NextResult());
            b.Try(() => reader.GetInt32(0));
            b.Try(() => reader.FieldCount);
            b.Try(() => reader.HasRows);
            b.Try(() => reader.Depth);
            b.Do(reader.Close);
            b.Do(reader.Dispose);
        })),
        new("reader: disposed", static b => ReadAsync(b, Rows, static async (b, reader) =>
        {
            await reader.DisposeAsync();
            b.Note(reader.IsClosed);
            b.Try(() => reader.Read());
            b.Try(() => reader.GetInt32(0));
            b.Try(() => reader.Depth);
            b.Do(reader.Close);
            await b.DoAsync(() => reader.DisposeAsync().AsTask());
        })),
        new("reader: column schema of a closed one", static b => ReadAsync(b, Rows, static async (b, reader) =>
        {
            b.Note(reader.GetColumnSchema().Count);
            await reader.CloseAsync();
            b.Try(() => reader.GetColumnSchema().Count);
        })),
        new("reader: rows affected", static b => ReadAsync(b, "UPDATE t SET v = 'z' WHERE id < 3", static async (b, reader) =>
        {
            b.Note(reader.FieldCount);
            b.Note(reader.Read());
            await reader.CloseAsync();
            b.Note(reader.RecordsAffected);
        })),
        new("reader: closes its connection", static async b =>
        {
            foreach (bool isAsync in new[] { false, true })
            {
                DbConnection connection = await b.Source.OpenConnectionAsync();
                DbDataReader reader = await b.Command(connection, Rows).ExecuteReaderAsync(CommandBehavior.CloseConnection);
                b.Note(reader.Read());
                await (isAsync ? reader.DisposeAsync() : new ValueTask(reader.CloseAsync()));
                b.Note(connection.State);
                b.Do(connection.Dispose);
            }
        }),
        new("reader: would close its connection, and its statement fails", static async b =>
        {
            DbConnection connection = await b.Source.OpenConnectionAsync();
            b.Try(() => b.Command(connection, "INSERT INTO t (id, v) VALUES (1, 'twice')").ExecuteReader(CommandBehavior.CloseConnection));
            b.Note(connection.State);
            b.Do(connection.Dispose);
        }),
        new("reader: one row, schema only, key info", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            foreach (CommandBehavior behavior in new[] { CommandBehavior.SingleRow, CommandBehavior.SchemaOnly, CommandBehavior.SequentialAccess,
                CommandBehavior.SingleResult, CommandBehavior.KeyInfo })
            {
                await using DbDataReader reader = await b.Command(connection, Rows).ExecuteReaderAsync(behavior);
                int rows = 0;
                while (await reader.ReadAsync())
                {
                    rows++;
                }

                b.Note($"{behavior} {rows}");
            }
        }),
        new("reader: two on one connection", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await using DbDataReader first = await b.Command(connection, Rows).ExecuteReaderAsync();
            b.Note(await first.ReadAsync());
            await b.TryAsync(async () =>
            {
                await using DbDataReader second = await b.Command(connection, Rows).ExecuteReaderAsync();
                return await second.ReadAsync();
            });
        }),
        new("reader: in a loop and into a table", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await using (DbDataReader reader = await b.Command(connection, Rows).ExecuteReaderAsync())
            {
                b.Note(reader.Cast<IDataRecord>().Select(static row => row.GetInt32(0)));
            }

            await using DbDataReader again = await b.Command(connection, Rows).ExecuteReaderAsync();
            using var table = new DataTable();
            table.Load(again);
            b.Note(table.Rows.Count);
            b.Note(again.IsClosed);
        }),
        new("reader: outlives its command", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            DbCommand command = b.Command(connection, "SELECT id FROM t WHERE id = 1");
            DbDataReader reader = await command.ExecuteReaderAsync();
            await reader.ReadAsync();
            await reader.DisposeAsync();
            command.Dispose();
            b.Note(b.Command(connection, "SELECT 1").ExecuteScalar());
        }),
        new("reader: its command is disposed first", static async b =>
        {
            foreach (CommandBehavior behavior in new[] { CommandBehavior.Default, CommandBehavior.CloseConnection })
            {
                await using DbConnection connection = await b.Source.OpenConnectionAsync();
                DbCommand command = b.Command(connection, Rows);
                DbDataReader reader = await command.ExecuteReaderAsync(behavior);
                command.Dispose();
                b.Try(() => reader.Read());
                await b.DoAsync(() => reader.DisposeAsync().AsTask());
                b.Note(connection.State);
            }
        }),
        new("reader: its batch is disposed first", static async b =>
        {
            foreach (CommandBehavior behavior in new[] { CommandBehavior.Default, CommandBehavior.CloseConnection })
            {
                await using DbConnection connection = await b.Source.OpenConnectionAsync();
                DbBatch batch = BatchCases.Fill(connection.CreateBatch(), Rows, Rows);
                DbDataReader reader = await batch.ExecuteReaderAsync(behavior);
                batch.Dispose();
                b.Try(() => reader.Read());
                await b.DoAsync(() => reader.DisposeAsync().AsTask());
                b.Note(connection.State);
            }
        }),
    ];

    private static async Task ReadAsync(ConformanceBench b, string sql, Func<ConformanceBench, DbDataReader, Task> read)
    {
        await using DbConnection connection = await b.Source.OpenConnectionAsync();
        using DbCommand command = b.Command(connection, sql);
        DbDataReader reader;
        try
        {
            reader = await command.ExecuteReaderAsync();
        }
        catch (DbException exception)
        {
            b.Note(exception.GetType().Name);
            return;
        }

        await using (reader)
        {
            try
            {
                await read(b, reader);
            }
            catch (Exception exception)
            {
                b.Note(exception.GetType().Name);
            }
        }
    }
}
