using Microsoft.CodeAnalysis;

namespace AdaptivePool.Tests.Architecture;

/// <summary>A place in a source file that uses a type or one of its members.</summary>
internal sealed record TypeUse(string File, int Line, INamedTypeSymbol Type)
{
    private const string CoreRoot = "src/AdaptivePool/";

    /// <summary>Folder of the file inside src/AdaptivePool; empty for the root.</summary>
    public string Folder { get; } = File.LastIndexOf('/') is int end && end > CoreRoot.Length ? File[CoreRoot.Length..end] : "";

    public string Namespace { get; } = Type.ContainingNamespace is { IsGlobalNamespace: false } found ? found.ToDisplayString() : "";

    public string TypeName => Type.OriginalDefinition.ToDisplayString();

    /// <summary>Folder of ours that declares the type; <see langword="null"/> for types of others.</summary>
    public string? TargetFolder => Namespace == "AdaptivePool" ? ""
        : Namespace.StartsWith("AdaptivePool.", StringComparison.Ordinal) ? Namespace["AdaptivePool.".Length..].Replace('.', '/') : null;

    public override string ToString() => $"{File}({Line}): {TypeName}";
}
