namespace AdaptivePool.Hosting.Tests.Gates.Programs;

/// <summary>A part of a row. The server looks for its row when the transaction commits.</summary>
internal sealed class ProgramPart
{
    public int Id { get; set; }

    public int RowId { get; set; }

    public int Value { get; set; }
}
