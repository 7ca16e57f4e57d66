namespace AdaptivePool.Stacks;

/// <summary>
/// Tells the program's own code from that of its packages. A report that names a driver's method is no help, since every statement of the program ends there.
/// </summary>
/// <param name="Packages">Simple names of the assemblies that came in packages; <see langword="null"/> where that is not known.</param>
/// <param name="Entry">Simple name of the assembly that the process was started with.</param>
internal sealed record ProgramCode(IReadOnlySet<string>? Packages, string? Entry)
{
    public CodeOrigin OriginOf(FrameName frame) =>
        frame.Assembly is "AdaptivePool" or "AdaptivePool.Data" or "AdaptivePool.Hosting" ? CodeOrigin.Pool
        : frame.Assembly is "AdaptivePool.EntityFrameworkCore" ? CodeOrigin.Package
        : frame.Assembly.Length == 0 || frame.Type.Length == 0 ? CodeOrigin.Generated
        : IsFramework(frame.Assembly) ? CodeOrigin.Framework
        : Packages is not null ? Packages.Contains(frame.Assembly) ? CodeOrigin.Package : CodeOrigin.Application
        : string.Equals(frame.Assembly, Entry, StringComparison.Ordinal) ? CodeOrigin.Application
        : CodeOrigin.Unknown;

    private static bool IsFramework(string assembly) =>
        assembly.StartsWith("System.", StringComparison.Ordinal) || assembly.StartsWith("Microsoft.", StringComparison.Ordinal) || assembly is "System"
            or "mscorlib" or "netstandard";
}
