using System.Collections;
using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Admission;

/// <summary>The reader of a statement that counts as a transaction, whose permit goes back when the reader is closed, or of one that closes its connection.</summary>
internal sealed class GatedReader(GatedConnection connection, DbDataReader inner, TransactionLease? lease, bool closesConnection) : DbDataReader
{
    /// <summary>What the base class demands.</summary>
    private const DynamicallyAccessedMemberTypes ReflectedMembers = DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.PublicProperties;

    private bool _isShut;

    public override int Depth => inner.Depth;

    public override int FieldCount => inner.FieldCount;

    public override int VisibleFieldCount => inner.VisibleFieldCount;

    public override bool HasRows => inner.HasRows;

    public override bool IsClosed => _isShut || inner.IsClosed;

    public override int RecordsAffected => inner.RecordsAffected;

    public override object this[int ordinal] => inner[ordinal];

    public override object this[string name] => inner[name];

    public override bool GetBoolean(int ordinal) => inner.GetBoolean(ordinal);

    public override byte GetByte(int ordinal) => inner.GetByte(ordinal);

    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length) => inner.GetBytes(ordinal, dataOffset, buffer, bufferOffset, length);

    public override char GetChar(int ordinal) => inner.GetChar(ordinal);

    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length) => inner.GetChars(ordinal, dataOffset, buffer, bufferOffset, length);

    public override string GetDataTypeName(int ordinal) => inner.GetDataTypeName(ordinal);

    public override DateTime GetDateTime(int ordinal) => inner.GetDateTime(ordinal);

    public override decimal GetDecimal(int ordinal) => inner.GetDecimal(ordinal);

    public override double GetDouble(int ordinal) => inner.GetDouble(ordinal);

    public override IEnumerator GetEnumerator() => new DbEnumerator(this, closeReader: false);

    [return: DynamicallyAccessedMembers(ReflectedMembers)]
    public override Type GetFieldType(int ordinal) => inner.GetFieldType(ordinal);

    public override T GetFieldValue<T>(int ordinal) => inner.GetFieldValue<T>(ordinal);

    public override Task<T> GetFieldValueAsync<T>(int ordinal, CancellationToken cancellationToken) => inner.GetFieldValueAsync<T>(ordinal, cancellationToken);

    public override float GetFloat(int ordinal) => inner.GetFloat(ordinal);

    public override Guid GetGuid(int ordinal) => inner.GetGuid(ordinal);

    public override short GetInt16(int ordinal) => inner.GetInt16(ordinal);

    public override int GetInt32(int ordinal) => inner.GetInt32(ordinal);

    public override long GetInt64(int ordinal) => inner.GetInt64(ordinal);

    public override string GetName(int ordinal) => inner.GetName(ordinal);

    public override int GetOrdinal(string name) => inner.GetOrdinal(name);

    [return: DynamicallyAccessedMembers(ReflectedMembers)]
    public override Type GetProviderSpecificFieldType(int ordinal) => inner.GetProviderSpecificFieldType(ordinal);

    public override object GetProviderSpecificValue(int ordinal) => inner.GetProviderSpecificValue(ordinal);

    public override int GetProviderSpecificValues(object[] values) => inner.GetProviderSpecificValues(values);

    public override DataTable? GetSchemaTable() => inner.GetSchemaTable();

    public override Task<DataTable?> GetSchemaTableAsync(CancellationToken cancellationToken = default) => inner.GetSchemaTableAsync(cancellationToken);

    public override Stream GetStream(int ordinal) => inner.GetStream(ordinal);

    public override string GetString(int ordinal) => inner.GetString(ordinal);

    public override TextReader GetTextReader(int ordinal) => inner.GetTextReader(ordinal);

    public override object GetValue(int ordinal) => inner.GetValue(ordinal);

    public override int GetValues(object[] values) => inner.GetValues(values);

    public override bool IsDBNull(int ordinal) => inner.IsDBNull(ordinal);

    public override Task<bool> IsDBNullAsync(int ordinal, CancellationToken cancellationToken) => inner.IsDBNullAsync(ordinal, cancellationToken);

    public override bool NextResult() => Advance(static inner => inner.NextResult());

    public override Task<bool> NextResultAsync(CancellationToken cancellationToken) => AdvanceAsync(() => inner.NextResultAsync(cancellationToken));

    public override bool Read() => Advance(static inner => inner.Read());

    public override Task<bool> ReadAsync(CancellationToken cancellationToken) => AdvanceAsync(() => inner.ReadAsync(cancellationToken));

    public override void Close() => ShutAsync(isAsync: false, isDisposed: false).GetAwaiter().GetResult();

    public override Task CloseAsync() => ShutAsync(isAsync: true, isDisposed: false);

    public override async ValueTask DisposeAsync()
    {
        await ShutAsync(isAsync: true, isDisposed: true).ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <summary>Leaves the gate, the first time.</summary>
    public void EndLease(bool hasFailed)
    {
        if (hasFailed && lease is not null)
        {
            lease.HasFailed = true;
        }

        lease?.Dispose();
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            ShutAsync(isAsync: false, isDisposed: true).GetAwaiter().GetResult();
        }
    }

    /// <summary>Once: afterwards the provider may have given its reader to the next user. Synchronously it returns a completed task.</summary>
    private async Task ShutAsync(bool isAsync, bool isDisposed)
    {
        if (_isShut)
        {
            return;
        }

        _isShut = true;
        try
        {
            if (isAsync)
            {
                await (isDisposed ? inner.DisposeAsync() : new ValueTask(inner.CloseAsync())).ConfigureAwait(false);
            }
            else if (isDisposed)
            {
                inner.Dispose();
            }
            else
            {
                inner.Close();
            }
        }
        catch
        {
            Fail();
            throw;
        }
        finally
        {
            // Not when the connection closes the reader.
            EndLease(hasFailed: false);
            bool isLast = connection.Forget(this) && closesConnection;
            if (isLast && isAsync)
            {
                await connection.CloseAsync().ConfigureAwait(false);
            }
            else if (isLast)
            {
                connection.Close();
            }
        }
    }

    private bool Advance(Func<DbDataReader, bool> advance)
    {
        try
        {
            return advance(inner);
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
            return await advance().ConfigureAwait(false);
        }
        catch
        {
            Fail();
            throw;
        }
    }

    private void Fail()
    {
        if (lease is null)
        {
            connection.StatementFailed();
        }
        else
        {
            lease.HasFailed = true;
        }
    }
}
