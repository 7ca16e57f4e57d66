namespace AdaptivePool.Hosting.Tests.Gates.Programs;

/// <summary>A row. The database makes its stamp, so that a statement that writes it has rows to read.</summary>
internal sealed class ProgramRow
{
    public int Id { get; set; }

    public int Owner { get; set; }

    public int Value { get; set; }

    public int Stamp { get; set; }

    public List<ProgramPart> Parts { get; } = [];
}
