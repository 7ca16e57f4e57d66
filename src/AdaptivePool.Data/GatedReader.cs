using System.Collections;
using System.Collections.ObjectModel;
using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Data;

/// <summary>
/// A reader that ends with its connection, although the provider's would not: the reader of a statement that counts as a transaction, whose permit goes back
/// when the reader is closed; the reader of a statement that closes its connection; and each reader of a kept connection, because a provider may use its reader
/// again for the next user. Once closed, it never touches the provider's reader.
/// </summary>
internal sealed class GatedReader(
    GatedConnection connection, ProviderSession session, DbDataReader inner, GatePermit? permit, bool closesConnection)
    : DbDataReader, IDbColumnSchemaGenerator
{
    /// <summary>What the base class demands.</summary>
    private const DynamicallyAccessedMemberTypes ReflectedMembers =
        DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.PublicProperties;

    private readonly DbDataReader _provider = inner;
    private bool _isShut;
    private bool _isDisposed;
    private int _recordsAffected = -1;
    private Func<bool>? _read;

    /// <summary>The permit of a statement that stands for itself.</summary>
    public GatePermit? Permit => permit;

    /// <summary>Whether neither the reader nor its connection was closed.</summary>
    public bool IsOpen => !_isShut && !session.Use.HasEnded;

    /// <summary>Zero when the reader is closed, as with Npgsql and SQLite.</summary>
    public override int Depth => IsOpen ? _provider.Depth : 0;

    public override int FieldCount => Inner.FieldCount;

    public override int VisibleFieldCount => Inner.VisibleFieldCount;

    public override bool HasRows => Inner.HasRows;

    public override bool IsClosed => !IsOpen || _provider.IsClosed;

    /// <summary>Final when the reader is closed, and asked for then.</summary>
    public override int RecordsAffected => IsOpen ? _provider.RecordsAffected : _recordsAffected;

    public override object this[int ordinal] => Inner[ordinal];

    public override object this[string name] => Inner[name];

    public override bool GetBoolean(int ordinal) => Inner.GetBoolean(ordinal);

    public override byte GetByte(int ordinal) => Inner.GetByte(ordinal);

    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length) =>
        Inner.GetBytes(ordinal, dataOffset, buffer, bufferOffset, length);

    public override char GetChar(int ordinal) => Inner.GetChar(ordinal);

    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length) =>
        Inner.GetChars(ordinal, dataOffset, buffer, bufferOffset, length);

    public override string GetDataTypeName(int ordinal) => Inner.GetDataTypeName(ordinal);

    public override DateTime GetDateTime(int ordinal) => Inner.GetDateTime(ordinal);

    public override decimal GetDecimal(int ordinal) => Inner.GetDecimal(ordinal);

    public override double GetDouble(int ordinal) => Inner.GetDouble(ordinal);

    public override IEnumerator GetEnumerator() => new DbEnumerator(this, closeReader: false);

    [return: DynamicallyAccessedMembers(ReflectedMembers)]
    public override Type GetFieldType(int ordinal) => Inner.GetFieldType(ordinal);

    public override T GetFieldValue<T>(int ordinal) => Ending(Inner.GetFieldValue<T>(ordinal));

    public override Task<T> GetFieldValueAsync<T>(int ordinal, CancellationToken cancellationToken) =>
        InsideAsync(async () => Ending(await Inner.GetFieldValueAsync<T>(ordinal, cancellationToken).ConfigureAwait(false)));

    public override float GetFloat(int ordinal) => Inner.GetFloat(ordinal);

    public override Guid GetGuid(int ordinal) => Inner.GetGuid(ordinal);

    public override short GetInt16(int ordinal) => Inner.GetInt16(ordinal);

    public override int GetInt32(int ordinal) => Inner.GetInt32(ordinal);

    public override long GetInt64(int ordinal) => Inner.GetInt64(ordinal);

    public override string GetName(int ordinal) => Inner.GetName(ordinal);

    public override int GetOrdinal(string name) => Inner.GetOrdinal(name);

    [return: DynamicallyAccessedMembers(ReflectedMembers)]
    public override Type GetProviderSpecificFieldType(int ordinal) => Inner.GetProviderSpecificFieldType(ordinal);

    public override object GetProviderSpecificValue(int ordinal) => Inner.GetProviderSpecificValue(ordinal);

    public override int GetProviderSpecificValues(object[] values) => Inner.GetProviderSpecificValues(values);

    public override DataTable? GetSchemaTable() => Inside(() => Inner.GetSchemaTable());

    public override Task<DataTable?> GetSchemaTableAsync(CancellationToken cancellationToken = default) =>
        InsideAsync(() => Inner.GetSchemaTableAsync(cancellationToken));

    public ReadOnlyCollection<DbColumn> GetColumnSchema() => Inside(() => Inner.GetColumnSchema());

    public override Task<ReadOnlyCollection<DbColumn>> GetColumnSchemaAsync(CancellationToken cancellationToken = default) =>
        InsideAsync(() => Inner.GetColumnSchemaAsync(cancellationToken));

    public override Stream GetStream(int ordinal) => Ending(Inner.GetStream(ordinal));

    public override string GetString(int ordinal) => Inner.GetString(ordinal);

    public override TextReader GetTextReader(int ordinal) => Ending(Inner.GetTextReader(ordinal));

    public override object GetValue(int ordinal) => Inner.GetValue(ordinal);

    public override int GetValues(object[] values) => Inner.GetValues(values);

    public override bool IsDBNull(int ordinal) => Inner.IsDBNull(ordinal);

    public override Task<bool> IsDBNullAsync(int ordinal, CancellationToken cancellationToken) =>
        InsideAsync(() => Inner.IsDBNullAsync(ordinal, cancellationToken));

    public override bool NextResult() => Advance(_provider.NextResult);

    public override Task<bool> NextResultAsync(CancellationToken cancellationToken) => AdvanceAsync(() => _provider.NextResultAsync(cancellationToken));

    public override bool Read() => Advance(_read ??= _provider.Read);

    public override Task<bool> ReadAsync(CancellationToken cancellationToken) => AdvanceAsync(() => _provider.ReadAsync(cancellationToken));

    public override void Close() => ShutAsync(isAsync: false, isDisposed: false).GetAwaiter().GetResult();

    public override Task CloseAsync() => ShutAsync(isAsync: true, isDisposed: false);

    public override async ValueTask DisposeAsync()
    {
        await ShutAsync(isAsync: true, isDisposed: true).ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <summary>
    /// The connection is being closed, and no call is inside: closes the provider's reader. Called once, after the end of the use, which closes this reader for
    /// every call. Synchronously it returns a completed task.
    /// </summary>
    /// <returns>What failed; <see langword="null"/> where nothing did.</returns>
    public async Task<Exception?> EndAsync(bool isAsync)
    {
        Exception? failure = null;
        try
        {
            await CloseInnerAsync(isAsync, isDisposed: false).ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            failure = exception;
            session.IsDirty = true;
        }

        permit?.End(hasFailed: failure is not null);
        return failure;
    }

    /// <summary>Calls the provider from inside the use, so that the session goes to no other user meanwhile.</summary>
    public T Inside<T>(Func<T> call)
    {
        using ProviderSession.Visit visit = Enter();
        return call();
    }

    /// <summary>The same with an object that the provider gave for a column. The caller checks first that the object is open: a disposed one reports that, as a
    /// provider's does, before the reader reports that it is closed.</summary>
    public T Inside<TColumn, T>(TColumn open, Func<TColumn, T> call) => Inside(() => call(open));

    /// <summary>Disposes an object that the provider gave for a column, while it still belongs to this reader.</summary>
    public void DisposeColumn(IDisposable column) => Inside(() =>
    {
        column.Dispose();
        return 0;
    });

    /// <inheritdoc cref="DisposeColumn"/>
    public Task DisposeColumnAsync(IAsyncDisposable column) => InsideAsync(async () =>
    {
        await column.DisposeAsync().ConfigureAwait(false);
        return 0;
    });

    /// <inheritdoc cref="Inside{T}(Func{T})"/>
    public async Task<T> InsideAsync<T>(Func<Task<T>> call)
    {
        using ProviderSession.Visit visit = Enter();
        return await call().ConfigureAwait(false);
    }

    /// <inheritdoc cref="Inside{TColumn, T}(TColumn, Func{TColumn, T})"/>
    public Task<T> InsideAsync<TColumn, T>(TColumn open, Func<TColumn, Task<T>> call) => InsideAsync(() => call(open));

    protected override DbDataReader GetDbDataReader(int ordinal) => Ending(Inner.GetData(ordinal));

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            ShutAsync(isAsync: false, isDisposed: true).GetAwaiter().GetResult();
        }
    }

    /// <summary>The provider's reader, which the connection may close at any time unless the caller is inside the use. What a value is that is read during the
    /// close depends on the provider.</summary>
    private DbDataReader Inner => IsOpen ? _provider : throw Closed();

    private ProviderSession.Visit Enter() => !_isShut && session.Use.TryEnter() ? new ProviderSession.Visit(session) : throw Closed();

    private Exception Closed() => _isDisposed ? new ObjectDisposedException(nameof(DbDataReader)) : new InvalidOperationException("The reader is closed.");

    /// <summary>Wraps an object that reads on from the connection when it is used, so that it ends with the reader.</summary>
    private T Ending<T>(T value) => !session.IsKept ? value : value switch
    {
        Stream stream => (T)(object)new GatedStream(stream, this),
        TextReader text => (T)(object)new GatedTextReader(text, this),
        DbDataReader rows => (T)(object)connection.Remember(session, rows, permit: null, closesConnection: false),
        _ => value,
    };

    private async Task ShutAsync(bool isAsync, bool isDisposed)
    {
        _isDisposed |= isDisposed;
        if (_isShut || !session.Use.TryEnter())
        {
            return;
        }

        _isShut = true;
        try
        {
            await (permit?.SettleAsync(isAsync) ?? default).ConfigureAwait(false);
            await CloseInnerAsync(isAsync, isDisposed).ConfigureAwait(false);
        }
        catch
        {
            Fail();
            session.IsDirty = true;
            throw;
        }
        finally
        {
            session.Remove(this);
            session.Leave();
            permit?.End(hasFailed: false);
            if (closesConnection)
            {
                await connection.CloseAsync(isAsync).ConfigureAwait(false);
            }
        }
    }

    private async Task CloseInnerAsync(bool isAsync, bool isDisposed)
    {
        await (isDisposed ? _provider.DisposeAsync(isAsync) : new ValueTask(_provider.CloseAsync(isAsync))).ConfigureAwait(false);
        _recordsAffected = _provider.RecordsAffected;
    }

    private bool Advance(Func<bool> advance)
    {
        try
        {
            permit?.ThrowIfCancelled();
            return Inside(advance);
        }
        catch
        {
            Fail();
            throw;
        }
    }

    private async Task<bool> AdvanceAsync(Func<Task<bool>> advance)
    {
        try
        {
            permit?.ThrowIfCancelled();
            return await InsideAsync(advance).ConfigureAwait(false);
        }
        catch
        {
            Fail();
            throw;
        }
    }

    private void Fail()
    {
        if (permit is not null)
        {
            permit.MarkFailed();
        }
        else if (!session.Use.HasEnded)
        {
            session.Turn.Transaction?.Permit.MarkFailed();
        }
    }
}
