using System.Data;
using System.Data.Common;

namespace AdaptivePool.Tests.Data.Fakes;

internal sealed class FakeBatchCommand : DbBatchCommand
{
    public override string CommandText { get; set; } = "";

    public override CommandType CommandType { get; set; } = CommandType.Text;

    public override int RecordsAffected => -1;

    protected override DbParameterCollection DbParameterCollection => throw new NotSupportedException();
}
