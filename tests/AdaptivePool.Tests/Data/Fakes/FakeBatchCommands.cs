using System.Data.Common;

namespace AdaptivePool.Tests.Data.Fakes;

internal sealed class FakeBatchCommands : DbBatchCommandCollection
{
    private readonly List<DbBatchCommand> _commands = [];

    public override int Count => _commands.Count;

    public override bool IsReadOnly => false;

    public override IEnumerator<DbBatchCommand> GetEnumerator() => _commands.GetEnumerator();

    public override void Add(DbBatchCommand item) => _commands.Add(item);

    public override void Clear() => _commands.Clear();

    public override bool Contains(DbBatchCommand item) => _commands.Contains(item);

    public override void CopyTo(DbBatchCommand[] array, int arrayIndex) => _commands.CopyTo(array, arrayIndex);

    public override bool Remove(DbBatchCommand item) => _commands.Remove(item);

    public override int IndexOf(DbBatchCommand item) => _commands.IndexOf(item);

    public override void Insert(int index, DbBatchCommand item) => _commands.Insert(index, item);

    public override void RemoveAt(int index) => _commands.RemoveAt(index);

    protected override DbBatchCommand GetBatchCommand(int index) => _commands[index];

    protected override void SetBatchCommand(int index, DbBatchCommand batchCommand) => _commands[index] = batchCommand;
}
