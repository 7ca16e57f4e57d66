using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace AdaptivePool.Mutation.Schemata;

internal sealed partial class MutantWriter
{
    public override SyntaxNode? VisitBlock(BlockSyntax node)
    {
        var written = new List<StatementSyntax>();
        StatementSyntax? displaced = null;
        int displacedBy = 0;
        for (int i = 0; i < node.Statements.Count; i++)
        {
            StatementSyntax original = node.Statements[i];
            var statement = (StatementSyntax)Visit(original)!;
            List<int> off = [];
            if (Drop(original) is { } dropped)
            {
                off.Add(dropped);
            }

            StatementSyntax? laterCopy = null;
            int swapped = 0;
            if (i + 1 < node.Statements.Count && IsCall(original) && IsCall(node.Statements[i + 1])
                && Add(original, "swap", Pair(original, node.Statements[i + 1])) is { } id)
            {
                off.Add(id);
                (laterCopy, swapped) = (original, id);
            }

            written.Add(off.Count == 0 ? statement : Guarded(off, statement));
            if (displaced is not null)
            {
                written.Add(Mark(SyntaxFactory.IfStatement(IsOn(displacedBy), SyntaxFactory.Block(displaced.WithoutTrivia())), displacedBy));
            }

            (displaced, displacedBy) = (laterCopy, swapped);
        }

        return node.WithStatements(SyntaxFactory.List(written));
    }

    public override SyntaxNode? VisitMethodDeclaration(MethodDeclarationSyntax node)
    {
        var visited = (MethodDeclarationSyntax)base.VisitMethodDeclaration(node)!;
        return IsVoid(node.ReturnType) && node.ExpressionBody is { } body && Add(body.Expression, "drop") is { } id
            ? visited.WithExpressionBody(null).WithSemicolonToken(default).WithBody(Block(id, visited.ExpressionBody!))
            : visited;
    }

    public override SyntaxNode? VisitAccessorDeclaration(AccessorDeclarationSyntax node)
    {
        var visited = (AccessorDeclarationSyntax)base.VisitAccessorDeclaration(node)!;
        return node.IsKind(SyntaxKind.SetAccessorDeclaration) && node.ExpressionBody is { } body && Add(body.Expression, "drop") is { } id
            ? visited.WithExpressionBody(null).WithSemicolonToken(default).WithBody(Block(id, visited.ExpressionBody!))
            : visited;
    }

    private static BlockSyntax Block(int id, ArrowExpressionClauseSyntax body) =>
        SyntaxFactory.Block(Guarded([id], SyntaxFactory.ExpressionStatement(body.Expression)));

    private int? Drop(StatementSyntax original)
    {
        if (original is not ExpressionStatementSyntax { Expression: var expression } || HasDesignation(expression))
        {
            return null;
        }

        bool isEffect = expression switch
        {
            InvocationExpressionSyntax or AwaitExpressionSyntax or ConditionalAccessExpressionSyntax or PostfixUnaryExpressionSyntax => true,
            PrefixUnaryExpressionSyntax => true,

            // What a constructor keeps is missed by everybody who uses the object.
            AssignmentExpressionSyntax assignment => !original.Ancestors().Any(static a => a is ConstructorDeclarationSyntax) && IsStored(assignment),
            _ => false,
        };
        return isEffect ? Add(original, "drop") : null;
    }

    private bool IsStored(AssignmentExpressionSyntax assignment) =>
        assignment.Left is TupleExpressionSyntax
        || model.GetSymbolInfo(assignment.Left).Symbol is IFieldSymbol or IPropertySymbol
        || (assignment.Left is IdentifierNameSyntax && !assignment.IsKind(SyntaxKind.SimpleAssignmentExpression));

    private static bool IsCall(StatementSyntax statement) =>
        statement is ExpressionStatementSyntax { Expression: var expression }
        && !HasDesignation(expression)
        && expression.DescendantNodesAndSelf().Any(static n =>
            n is InvocationExpressionSyntax or AwaitExpressionSyntax or PostfixUnaryExpressionSyntax
            || n.Kind() is SyntaxKind.PreIncrementExpression or SyntaxKind.PreDecrementExpression);

    private static SyntaxNode Pair(StatementSyntax first, StatementSyntax second) =>
        SyntaxFactory.Block(((ExpressionStatementSyntax)first).WithoutTrivia(), ((ExpressionStatementSyntax)second).WithoutTrivia());

    private static IfStatementSyntax Guarded(List<int> off, StatementSyntax statement)
    {
        ExpressionSyntax condition = IsOff(off[0]);
        foreach (int id in off.Skip(1))
        {
            condition = SyntaxFactory.BinaryExpression(SyntaxKind.BitwiseAndExpression, condition, IsOff(id));
        }

        IfStatementSyntax guarded = SyntaxFactory.IfStatement(condition, SyntaxFactory.Block(statement.WithoutTrivia()))
            .WithLeadingTrivia(statement.GetLeadingTrivia())
            .WithTrailingTrivia(statement.GetTrailingTrivia());
        return off.Aggregate(guarded, Mark);
    }
}
