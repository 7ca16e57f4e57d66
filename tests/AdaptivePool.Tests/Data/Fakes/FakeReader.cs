using System.Collections;
using System.Data;
using System.Data.Common;

namespace AdaptivePool.Tests.Data.Fakes;

/// <summary>One row; notes how it is ended, and knows how many rows were affected only then, as real readers do.</summary>
internal sealed class FakeReader(FakeDataSource source) : DbDataReader
{
    private readonly DataTableReader _rows = OneRow();

    public override int Depth => _rows.Depth;

    public override int FieldCount => _rows.FieldCount;

    public override bool HasRows => _rows.HasRows;

    public override bool IsClosed => _rows.IsClosed;

    public override int RecordsAffected => IsClosed ? 3 : 2;

    public override object this[int ordinal] => _rows[ordinal];

    public override object this[string name] => _rows[name];

    public override bool GetBoolean(int ordinal) => _rows.GetBoolean(ordinal);

    public override byte GetByte(int ordinal) => _rows.GetByte(ordinal);

    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length)
        => _rows.GetBytes(ordinal, dataOffset, buffer, bufferOffset, length);

    public override char GetChar(int ordinal) => _rows.GetChar(ordinal);

    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length)
        => _rows.GetChars(ordinal, dataOffset, buffer, bufferOffset, length);

    public override string GetDataTypeName(int ordinal) => _rows.GetDataTypeName(ordinal);

    public override DateTime GetDateTime(int ordinal) => _rows.GetDateTime(ordinal);

    public override decimal GetDecimal(int ordinal) => _rows.GetDecimal(ordinal);

    public override double GetDouble(int ordinal) => _rows.GetDouble(ordinal);

    public override IEnumerator GetEnumerator() => _rows.GetEnumerator();

    public override Type GetFieldType(int ordinal) => _rows.GetFieldType(ordinal);

    public override float GetFloat(int ordinal) => _rows.GetFloat(ordinal);

    public override Guid GetGuid(int ordinal) => _rows.GetGuid(ordinal);

    public override short GetInt16(int ordinal) => _rows.GetInt16(ordinal);

    public override int GetInt32(int ordinal) => _rows.GetInt32(ordinal);

    public override long GetInt64(int ordinal) => _rows.GetInt64(ordinal);

    public override string GetName(int ordinal) => _rows.GetName(ordinal);

    public override int GetOrdinal(string name) => _rows.GetOrdinal(name);

    public override Stream GetStream(int ordinal) => new ColumnStream(source, (byte[])_rows.GetValue(ordinal));

    public override string GetString(int ordinal) => _rows.GetString(ordinal);

    public override TextReader GetTextReader(int ordinal) => new StringReader("text");

    public override object GetValue(int ordinal) => _rows.GetValue(ordinal);

    public override int GetValues(object[] values) => _rows.GetValues(values);

    public override bool IsDBNull(int ordinal) => _rows.IsDBNull(ordinal);

    public override bool NextResult() => _rows.NextResult();

    public override bool Read()
    {
        source.Noted?.Invoke("row");
        return _rows.Read();
    }

    public override void Close()
    {
        if (!IsClosed)
        {
            source.ReaderEnds.Add("close");
            _rows.Close();
        }
    }

    /// <summary>What a provider does when the server goes away.</summary>
    public void Break() => _rows.Close();

    protected override void Dispose(bool disposing)
    {
        if (disposing && !IsClosed)
        {
            source.ReaderEnds.Add("dispose");
            _rows.Close();
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
