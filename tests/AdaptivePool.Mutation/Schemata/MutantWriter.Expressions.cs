using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace AdaptivePool.Mutation.Schemata;

internal sealed partial class MutantWriter
{
    private static readonly Dictionary<SyntaxKind, SyntaxKind> s_boundaries = new()
    {
        [SyntaxKind.LessThanExpression] = SyntaxKind.LessThanOrEqualExpression,
        [SyntaxKind.LessThanOrEqualExpression] = SyntaxKind.LessThanExpression,
        [SyntaxKind.GreaterThanExpression] = SyntaxKind.GreaterThanOrEqualExpression,
        [SyntaxKind.GreaterThanOrEqualExpression] = SyntaxKind.GreaterThanExpression,
    };

    private static readonly Dictionary<SyntaxKind, SyntaxKind> s_arithmetic = new()
    {
        [SyntaxKind.AddExpression] = SyntaxKind.SubtractExpression,
        [SyntaxKind.SubtractExpression] = SyntaxKind.AddExpression,
        [SyntaxKind.MultiplyExpression] = SyntaxKind.DivideExpression,
        [SyntaxKind.DivideExpression] = SyntaxKind.MultiplyExpression,
    };

    private ExpressionSyntax WriteExpression(ExpressionSyntax original, ExpressionSyntax written)
    {
        if (original is ParenthesizedExpressionSyntax || original.Ancestors().Any(static a => a is AttributeSyntax))
        {
            return written;
        }

        ExpressionSyntax result = written;
        if (original is BinaryExpressionSyntax binary)
        {
            result = WriteBinary(binary, result);
        }
        else if (original is LiteralExpressionSyntax literal)
        {
            return WriteLiteral(literal, result);
        }
        else if (original is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax { Name.Identifier.Text: "Min" or "Max" } bound } call
            && bound.Expression is IdentifierNameSyntax { Identifier.Text: "Math" }
            && Add(original, "min-max") is { } id)
        {
            var other = SyntaxFactory.IdentifierName(bound.Name.Identifier.Text == "Min" ? "Max" : "Min");
            result = Either(id, call.WithExpression(bound.WithName(other)), result);
        }

        return IsCondition(original) ? Negate(original, result) : IsResult(original) ? ChangeResult(original, result) : result;
    }

    private ExpressionSyntax WriteBinary(BinaryExpressionSyntax original, ExpressionSyntax written)
    {
        if (HasDesignation(original))
        {
            return written;
        }

        if (s_boundaries.TryGetValue(original.Kind(), out SyntaxKind shifted) && Add(original, "boundary") is { } boundary)
        {
            return Either(boundary, SyntaxFactory.BinaryExpression(shifted, original.Left, original.Right), written);
        }

        if (s_arithmetic.TryGetValue(original.Kind(), out SyntaxKind opposite) && IsNumber(original) && Add(original, "arithmetic") is { } arithmetic)
        {
            return Either(arithmetic, SyntaxFactory.BinaryExpression(opposite, original.Left, original.Right), written);
        }

        if (original.Kind() is SyntaxKind.LogicalAndExpression or SyntaxKind.LogicalOrExpression && Add(original, "and-or") is { } logical)
        {
            SyntaxKind other = original.IsKind(SyntaxKind.LogicalAndExpression) ? SyntaxKind.LogicalOrExpression : SyntaxKind.LogicalAndExpression;
            return Either(logical, SyntaxFactory.BinaryExpression(other, Bracketed(original.Left), Bracketed(original.Right)), written);
        }

        return written;
    }

    private ExpressionSyntax WriteLiteral(LiteralExpressionSyntax original, ExpressionSyntax written)
    {
        if (original.Kind() is SyntaxKind.TrueLiteralExpression or SyntaxKind.FalseLiteralExpression)
        {
            bool isLoop = original.Parent is WhileStatementSyntax or DoStatementSyntax;
            return isLoop || Add(original, "constant", Whole(original)) is not { } flipped ? written : Exclusive(flipped, written);
        }

        if (original.Token.Value is int or long && Add(original, "constant", Whole(original)) is { } id)
        {
            long value = Convert.ToInt64(original.Token.Value, System.Globalization.CultureInfo.InvariantCulture);
            SyntaxToken next = original.Token.Value is int ? SyntaxFactory.Literal((int)value + 1) : SyntaxFactory.Literal(value + 1);
            return Either(id, SyntaxFactory.LiteralExpression(SyntaxKind.NumericLiteralExpression, next), written);
        }

        return written;
    }

    /// <summary>A condition that declares a variable becomes one that never lets the variable be used.</summary>
    private ExpressionSyntax Negate(ExpressionSyntax original, ExpressionSyntax written)
    {
        if (Add(original, "negate", Whole(original)) is not { } id)
        {
            return written;
        }

        if (!HasPatternVariable(original))
        {
            return Exclusive(id, written);
        }

        bool isNegative = original is IsPatternExpressionSyntax { Pattern: UnaryPatternSyntax };
        BinaryExpressionSyntax never = isNegative
            ? SyntaxFactory.BinaryExpression(SyntaxKind.LogicalOrExpression, IsOn(id), Bracketed(written))
            : SyntaxFactory.BinaryExpression(SyntaxKind.LogicalAndExpression, IsOff(id), Bracketed(written));
        return Mark(SyntaxFactory.ParenthesizedExpression(never), id);
    }

    private ExpressionSyntax ChangeResult(ExpressionSyntax original, ExpressionSyntax written)
    {
        if (HasDesignation(original))
        {
            return written;
        }

        ITypeSymbol? type = model.GetTypeInfo(original).ConvertedType;
        bool isWhole = type?.SpecialType is SpecialType.System_Int32 or SpecialType.System_Int64;
        if (isWhole && IsNumber(original) && original is not LiteralExpressionSyntax && Add(original, "result") is { } id)
        {
            var one = (ExpressionSyntax)SyntaxFactory.ParseExpression("1");
            return Either(id, SyntaxFactory.BinaryExpression(SyntaxKind.AddExpression, Bracketed(original), one), written);
        }

        if (type is { IsReferenceType: true, NullableAnnotation: NullableAnnotation.Annotated } && Add(original, "result") is { } nothing)
        {
            return Either(nothing, SyntaxFactory.ParseExpression("null"), written);
        }

        return written;
    }

    /// <summary>A truth value that decides, is returned or is kept, and is not made of smaller ones.</summary>
    private bool IsCondition(ExpressionSyntax node)
    {
        if (node.Kind() is SyntaxKind.LogicalAndExpression or SyntaxKind.LogicalOrExpression
            || node is ConditionalExpressionSyntax or AssignmentExpressionSyntax or SwitchExpressionSyntax
            || model.GetTypeInfo(node) is not { Type.SpecialType: SpecialType.System_Boolean, ConvertedType.SpecialType: SpecialType.System_Boolean })
        {
            return false;
        }

        return Outside(node) switch
        {
            (IfStatementSyntax or WhileStatementSyntax or DoStatementSyntax or ForStatementSyntax, _) => true,
            (WhenClauseSyntax or CatchFilterClauseSyntax or ConditionalExpressionSyntax, _) => true,
            (BinaryExpressionSyntax outer, _) => outer.Kind() is SyntaxKind.LogicalAndExpression or SyntaxKind.LogicalOrExpression,
            (ReturnStatementSyntax or ArrowExpressionClauseSyntax or LambdaExpressionSyntax or SwitchExpressionArmSyntax, _) => true,
            (EqualsValueClauseSyntax or AssignmentExpressionSyntax, _) => true,
            _ => false,
        };
    }

    private static bool IsResult(ExpressionSyntax node) => Outside(node).Parent is ReturnStatementSyntax or ArrowExpressionClauseSyntax;

    private static (SyntaxNode? Parent, SyntaxNode Child) Outside(SyntaxNode node)
    {
        SyntaxNode child = node;
        while (child.Parent is ParenthesizedExpressionSyntax bracket)
        {
            child = bracket;
        }

        return (child.Parent, child);
    }

    private bool IsNumber(ExpressionSyntax node) =>
        model.GetTypeInfo(node).Type?.SpecialType is >= SpecialType.System_SByte and <= SpecialType.System_Double && !model.GetConstantValue(node).HasValue;

    private static bool HasDesignation(SyntaxNode node) => node.DescendantNodesAndSelf().Any(static n => n is SingleVariableDesignationSyntax);

    private static bool HasPatternVariable(SyntaxNode node) =>
        node.DescendantNodesAndSelf().Any(static n => n is SingleVariableDesignationSyntax { Parent: PatternSyntax });

    /// <summary>The statement or expression that a small piece of code is shown with: a literal alone tells nothing.</summary>
    private static SyntaxNode Whole(SyntaxNode node) =>
        node is LiteralExpressionSyntax or IdentifierNameSyntax && node.Ancestors().FirstOrDefault(IsTelling) is { } outer
            ? outer is BlockSyntax or IfStatementSyntax or WhileStatementSyntax or ForStatementSyntax or DoStatementSyntax ? node : outer
            : node;

    private static bool IsTelling(SyntaxNode node) =>
        node is BinaryExpressionSyntax or InvocationExpressionSyntax or StatementSyntax or ArrowExpressionClauseSyntax or EqualsValueClauseSyntax;

    private static ParenthesizedExpressionSyntax Either(int id, ExpressionSyntax mutated, ExpressionSyntax original) =>
        Mark(SyntaxFactory.ParenthesizedExpression(SyntaxFactory.ConditionalExpression(IsOn(id), Bracketed(mutated), Bracketed(original))), id);

    private static ParenthesizedExpressionSyntax Exclusive(int id, ExpressionSyntax original) =>
        Mark(SyntaxFactory.ParenthesizedExpression(SyntaxFactory.BinaryExpression(SyntaxKind.ExclusiveOrExpression, IsOn(id), Bracketed(original))), id);

    private static ParenthesizedExpressionSyntax Bracketed(ExpressionSyntax node) => SyntaxFactory.ParenthesizedExpression(node.WithoutTrivia());
}
