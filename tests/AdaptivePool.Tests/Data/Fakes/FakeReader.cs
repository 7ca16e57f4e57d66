using System.Collections;
using System.Data;
using System.Data.Common;

namespace AdaptivePool.Tests.Data.Fakes;

/// <summary>One row; notes how it is ended, and knows how many rows were affected only then, as real readers do.</summary>
internal sealed class FakeReader : DbDataReader
{
    private readonly FakeDataSource _source;
    private readonly DataTableReader _table;
    private readonly int _affected = -1;
    private readonly FakeSession? _closed;
    private bool _isShut;
    private bool _isDisposed;

    public FakeReader(FakeDataSource source)
    {
        _source = source;
        _table = OneRow();
    }

    /// <summary>A strict one.</summary>
    /// <param name="source">Its source.</param>
    /// <param name="results">Its rows.</param>
    /// <param name="affected">How many rows were written.</param>
    /// <param name="closed">That whose connection ends with it.</param>
    public FakeReader(FakeDataSource source, IReadOnlyList<DataTable> results, int affected, FakeSession? closed)
    {
        _source = source;
        _table = new DataTableReader(results is [] ? [new DataTable()] : [.. results]);
        _affected = affected;
        _closed = closed;
    }

    public override int Depth => IsClosed ? 0 : Rows.Depth;

    public override int FieldCount => Rows.FieldCount;

    public override bool HasRows => Rows.HasRows;

    public override bool IsClosed => _table.IsClosed;

    public override int RecordsAffected => _source.IsStrict ? _affected : IsClosed ? 3 : 2;

    public override object this[int ordinal] => Rows[ordinal];

    public override object this[string name] => Rows[name];

    public override bool GetBoolean(int ordinal) => Rows.GetBoolean(ordinal);

    public override byte GetByte(int ordinal) => Rows.GetByte(ordinal);

    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length)
        => Rows.GetBytes(ordinal, dataOffset, buffer, bufferOffset, length);

    public override char GetChar(int ordinal) => Rows.GetChar(ordinal);

    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length)
        => Rows.GetChars(ordinal, dataOffset, buffer, bufferOffset, length);

    public override string GetDataTypeName(int ordinal) => Rows.GetDataTypeName(ordinal);

    public override DateTime GetDateTime(int ordinal) => Rows.GetDateTime(ordinal);

    public override decimal GetDecimal(int ordinal) => Rows.GetDecimal(ordinal);

    public override double GetDouble(int ordinal) => Rows.GetDouble(ordinal);

    public override IEnumerator GetEnumerator() => Rows.GetEnumerator();

    public override Type GetFieldType(int ordinal) => Rows.GetFieldType(ordinal);

    public override float GetFloat(int ordinal) => Rows.GetFloat(ordinal);

    public override Guid GetGuid(int ordinal) => Rows.GetGuid(ordinal);

    public override short GetInt16(int ordinal) => Rows.GetInt16(ordinal);

    public override int GetInt32(int ordinal) => Rows.GetInt32(ordinal);

    public override long GetInt64(int ordinal) => Rows.GetInt64(ordinal);

    public override string GetName(int ordinal) => Rows.GetName(ordinal);

    public override int GetOrdinal(string name) => Rows.GetOrdinal(name);

    public override DataTable? GetSchemaTable() => Rows.GetSchemaTable();

    public override Stream GetStream(int ordinal) => new ColumnStream(_source, (byte[])Rows.GetValue(ordinal));

    public override string GetString(int ordinal) => Rows.GetString(ordinal);

    public override TextReader GetTextReader(int ordinal) => new StringReader("text");

    public override object GetValue(int ordinal) => Rows.GetValue(ordinal);

    public override int GetValues(object[] values) => Rows.GetValues(values);

    public override bool IsDBNull(int ordinal) => Rows.IsDBNull(ordinal);

    /// <summary>A strict one that is closed says so.</summary>
    private DataTableReader Rows => !_source.IsStrict || !IsClosed ? _table
        : throw (_isDisposed ? new ObjectDisposedException(nameof(FakeReader)) : new InvalidOperationException("The reader is closed."));

    public override bool NextResult()
    {
        DataTableReader rows = Rows;
        _source.Noted?.Invoke("result");
        return rows.NextResult();
    }

    public override bool Read()
    {
        DataTableReader rows = Rows;
        _source.Noted?.Invoke("row");
        return rows.Read();
    }

    public override void Close() => End("close");

    /// <summary>What a provider does when the server goes away.</summary>
    public void Break() => _table.Close();

    protected override void Dispose(bool disposing)
    {
        _isDisposed = true;
        if (disposing)
        {
            End("dispose");
        }
    }

    private void End(string call)
    {
        if (!_source.IsStrict && !IsClosed)
        {
            _source.ReaderEnds.Add(call);
        }

        _table.Close();
        if (_source.Fails == "end of a reader")
        {
            throw new InvalidOperationException("end of a reader failed");
        }

        if (!_isShut)
        {
            _isShut = true;
            _closed?.CloseConnection();
        }
    }

    private static DataTableReader OneRow()
    {
        using var table = new DataTable();
        table.Columns.Add("one", typeof(int));
        table.Columns.Add("bytes", typeof(byte[]));
        table.Rows.Add(1, new byte[] { 7, 8 });
        return table.CreateDataReader();
    }

    private sealed class ColumnStream(FakeDataSource source, byte[] bytes) : MemoryStream(bytes, writable: false)
    {
        public override ValueTask DisposeAsync()
        {
            source.ColumnDisposals.Add(true);
            return ValueTask.CompletedTask;
        }

        protected override void Dispose(bool disposing)
        {
            source.ColumnDisposals.Add(false);
            base.Dispose(disposing);
        }
    }
}
