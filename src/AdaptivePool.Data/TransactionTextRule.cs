using System.Buffers;
using System.Collections.Frozen;

namespace AdaptivePool.Data;

/// <summary>Whether the text of a statement may leave a transaction open. It says yes where it does not know:
/// that costs a look at the session, and the other mistake costs the next user's data.</summary>
internal static class TransactionTextRule
{
    private static readonly FrozenSet<string>.AlternateLookup<ReadOnlySpan<char>> s_harmless =
        FrozenSet.Create(StringComparer.OrdinalIgnoreCase, "", "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH", "VALUES")
            .GetAlternateLookup<ReadOnlySpan<char>>();

    /// <summary>Words that begin a transaction after another statement without a semicolon, directly or in a procedure.</summary>
    private static readonly SearchValues<string> s_beginnings =
        SearchValues.Create(["BEGIN", "EXEC", "IMPLICIT_TRANSACTIONS"], StringComparison.OrdinalIgnoreCase);

    /// <summary>False for a single statement that reads or writes rows, and for an empty text.</summary>
    public static bool MayBegin(string? text)
    {
        ReadOnlySpan<char> statement = text.AsSpan().Trim().TrimEnd(';');
        int end = statement.IndexOfAnyExceptInRange('A', 'z');
        ReadOnlySpan<char> word = end < 0 ? statement : statement[..end];
        return !s_harmless.Contains(word) || (word.IsEmpty && !statement.IsEmpty) || statement.Contains(';') || statement.ContainsAny(s_beginnings);
    }
}
