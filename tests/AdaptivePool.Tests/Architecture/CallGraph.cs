using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace AdaptivePool.Tests.Architecture;

/// <summary>Who calls whom in the core, in Data and in Hosting, by Type.Method: overloads, and a generic type's versions, count as one.</summary>
internal static class CallGraph
{
    private static readonly Lazy<ILookup<string, (IMethodSymbol Method, CSharpCompilation Of)>> s_methods = new(static () =>
        new[] { SourceModel.Core, SourceModel.Data, SourceModel.Hosting }
            .SelectMany(static of => Declared(of).Select(method => (method, of)))
            .ToLookup(static it => NameOf(it.method), StringComparer.Ordinal));

    /// <summary>Whether a method of this name has a body in the sources.</summary>
    public static bool Has(string method) => s_methods.Value.Contains(method);

    /// <summary>
    /// Whether one method mentions another: it calls it, hands it over as a delegate, reads it as a property, or ends a <c>using</c> with it. A call of the
    /// member that the other one implements or overrides counts, and what the initialiser of a field says counts for each method that names the field.
    /// </summary>
    public static bool Calls(string caller, string called)
    {
        HashSet<string> names = [.. s_methods.Value[called].SelectMany(static it => Slots(it.Method)).Select(NameOf)];
        return s_methods.Value[caller].Any(it => it.Method.DeclaringSyntaxReferences.Any(body => Mentions(body.GetSyntax(), it.Of).Any(names.Contains)));
    }

    private static IEnumerable<IMethodSymbol> Declared(CSharpCompilation compilation) =>
        compilation.GetSymbolsWithName(static _ => true, SymbolFilter.Member).OfType<IMethodSymbol>();

    private static string NameOf(ISymbol method) => $"{method.ContainingType?.Name}.{method.Name}";

    /// <summary>The method, and the members by which it can be called without its name.</summary>
    private static IEnumerable<ISymbol> Slots(IMethodSymbol method)
    {
        for (IMethodSymbol? slot = method; slot is not null; slot = slot.OverriddenMethod)
        {
            yield return slot;
        }

        foreach (ISymbol member in method.ContainingType.AllInterfaces.SelectMany(static it => it.GetMembers(), static (_, member) => member))
        {
            if (SymbolEqualityComparer.Default.Equals(method.ContainingType.FindImplementationForInterfaceMember(member), method))
            {
                yield return member;
            }
        }
    }

    private static IEnumerable<string> Mentions(SyntaxNode body, CSharpCompilation compilation)
    {
        SemanticModel model = compilation.GetSemanticModel(body.SyntaxTree);
        foreach (SyntaxNode node in body.DescendantNodes())
        {
            if (node is SimpleNameSyntax name)
            {
                switch (model.GetSymbolInfo(name).Symbol)
                {
                    case IMethodSymbol or IPropertySymbol:
                        yield return NameOf(model.GetSymbolInfo(name).Symbol!);
                        break;
                    case IFieldSymbol { DeclaringSyntaxReferences: [var field] } when field.GetSyntax() is VariableDeclaratorSyntax { Initializer: { } value }:
                        foreach (string mentioned in Mentions(value, compilation))
                        {
                            yield return mentioned;
                        }

                        break;
                }
            }
            else if (Resource(node, model) is { } type)
            {
                yield return $"{type.Name}.{nameof(IDisposable.Dispose)}";
            }
        }
    }

    /// <summary>What a <c>using</c> disposes of.</summary>
    private static ITypeSymbol? Resource(SyntaxNode node, SemanticModel model) => node switch
    {
        LocalDeclarationStatementSyntax { UsingKeyword.RawKind: (int)SyntaxKind.UsingKeyword } local => model.GetTypeInfo(local.Declaration.Type).Type,
        UsingStatementSyntax { Declaration: { } declaration } => model.GetTypeInfo(declaration.Type).Type,
        UsingStatementSyntax { Expression: { } expression } => model.GetTypeInfo(expression).Type,
        _ => null,
    };
}
