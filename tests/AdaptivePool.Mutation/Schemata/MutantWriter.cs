using System.Globalization;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace AdaptivePool.Mutation.Schemata;

/// <summary>
/// Writes all mutants of a file into it, each behind its switch. MutantWriter.Expressions and MutantWriter.Statements have the operators.
/// The changed half of a place is the original text, so only one mutant is on at a time and the file grows by the depth of its expressions only.
/// </summary>
internal sealed partial class MutantWriter(SemanticModel model, string path, MutantList mutants) : CSharpSyntaxRewriter
{
    /// <summary>Marks nodes with the numbers of their mutants, so that one that does not compile is found by its error.</summary>
    public const string Annotation = "mutant";

    public override SyntaxNode? Visit(SyntaxNode? node)
    {
        if (node is null || IsLeftAlone(node))
        {
            return node;
        }

        SyntaxNode? visited = base.Visit(node);
        return node is ExpressionSyntax original && visited is ExpressionSyntax written && IsValue(original) ? WriteExpression(original, written) : visited;
    }

    /// <summary>What is no logic, or must be constant.</summary>
    private static bool IsLeftAlone(SyntaxNode node) => node switch
    {
        AttributeListSyntax or PatternSyntax or SwitchLabelSyntax or ParameterListSyntax or EnumMemberDeclarationSyntax => true,
        TypeSyntax and not IdentifierNameSyntax => true,
        BaseFieldDeclarationSyntax field => field.Modifiers.Any(SyntaxKind.ConstKeyword) || field.Modifiers.Any(SyntaxKind.StaticKeyword),
        LocalDeclarationStatementSyntax local => local.IsConst,
        ThrowStatementSyntax or ThrowExpressionSyntax or InterpolatedStringExpressionSyntax or ArrayRankSpecifierSyntax => true,
        MethodDeclarationSyntax method => method.Identifier.Text == "ToString",
        InvocationExpressionSyntax call => call.Expression is IdentifierNameSyntax { Identifier.Text: "nameof" },
        ArgumentListSyntax { Parent: InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax { Name: var name } } } =>
            name.Identifier.Text == "ConfigureAwait",
        _ => false,
    };

    private static bool IsValue(ExpressionSyntax node) =>
        node.Parent is not (ExpressionStatementSyntax or NameColonSyntax or NameEqualsSyntax or QualifiedNameSyntax or RefExpressionSyntax)
        && !(node.Parent is ArrowExpressionClauseSyntax { Parent: MethodDeclarationSyntax { ReturnType: PredefinedTypeSyntax type } } && IsVoid(type))
        && !(node.Parent is ArrowExpressionClauseSyntax { Parent: AccessorDeclarationSyntax accessor } && accessor.IsKind(SyntaxKind.SetAccessorDeclaration))
        && !(node.Parent is ArgumentSyntax argument && !argument.RefKindKeyword.IsKind(SyntaxKind.None))
        && !(node.Parent is MemberAccessExpressionSyntax access && access.Name == node)
        && !(node.Parent is AssignmentExpressionSyntax assignment && assignment.Left == node);

    private static bool IsVoid(TypeSyntax type) => type is PredefinedTypeSyntax { Keyword.RawKind: (int)SyntaxKind.VoidKeyword };

    private int? Add(SyntaxNode place, string operation, SyntaxNode? code = null) => mutants.Add(path, place, operation, code ?? place);

    private static InvocationExpressionSyntax IsOn(int id) =>
        SyntaxFactory.InvocationExpression(
            SyntaxFactory.ParseExpression($"global::{Guard.TypeName}.Is"),
            SyntaxFactory.ParseArgumentList(string.Create(CultureInfo.InvariantCulture, $"({id})")));

    private static PrefixUnaryExpressionSyntax IsOff(int id) => SyntaxFactory.PrefixUnaryExpression(SyntaxKind.LogicalNotExpression, IsOn(id));

    private static T Mark<T>(T node, int id)
        where T : SyntaxNode => node.WithAdditionalAnnotations(new SyntaxAnnotation(Annotation, id.ToString(CultureInfo.InvariantCulture)));
}
