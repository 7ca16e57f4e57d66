namespace AdaptivePool.Mutation;

/// <summary>One small change of the code.</summary>
/// <param name="Id">Its number in this build; it is switched on by this number.</param>
/// <param name="Path">File, relative to the root of the repository.</param>
/// <param name="Line">Line of the original code, from 1.</param>
/// <param name="Member">Type and member.</param>
/// <param name="Operator">What kind of change.</param>
/// <param name="Code">The original code on one line.</param>
/// <param name="Occurrence">Which of the places in this member that look the same, from 1.</param>
internal sealed record Mutant(int Id, string Path, int Line, string Member, string Operator, string Code, int Occurrence)
{
    /// <summary>Names the mutant beyond this build: other lines may come and go.</summary>
    public string Key => $"{Path} | {Member} | {Operator} | {Code}" + (Occurrence > 1 ? $" | {Occurrence}" : "");

    /// <summary>Folder of the file below its project; the file's name where it lies in no folder.</summary>
    public string Folder => Path.Split('/') is { Length: > 3 } parts ? parts[2] : Path.Split('/')[^1];
}
