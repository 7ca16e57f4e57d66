using System.Text;

namespace AdaptivePool.Stacks;

/// <summary>Turns the names that compilers give into those that the source has: <c>Client+&lt;Get&gt;d__3.MoveNext</c> is <c>Client.Get</c>.</summary>
internal static class MethodNameRule
{
    public static string Of(string type, string method)
    {
        var name = new StringBuilder();
        bool isLambda = false;
        bool isGenerated = false;
        foreach (string part in type.Split('+'))
        {
            isGenerated = part.StartsWith('<');
            Append(name, isGenerated ? Source(part, ref isLambda) : WithoutArity(part));
        }

        if (!isGenerated || !string.Equals(method, "MoveNext", StringComparison.Ordinal))
        {
            Append(name, Source(method, ref isLambda));
        }

        return isLambda ? name.Append(" (lambda)").ToString() : name.ToString();
    }

    private static void Append(StringBuilder name, string part)
    {
        if (part.Length > 0)
        {
            name.Append(name.Length == 0 ? "" : ".").Append(part);
        }
    }

    // "<Get>d__3" -> Get; "<Get>b__0" -> Get, a lambda; "<Get>g__Inner|0" -> Get.Inner; "<>c" -> nothing; "<<Get>b__0>d" -> as "<Get>b__0".
    // Top-level statements are a method named "<Main>$": "<<Main>$>g__Inner|0" -> Main.Inner.
    private static string Source(string name, ref bool isLambda)
    {
        int close = name.StartsWith("<<", StringComparison.Ordinal) ? name.LastIndexOf('>') : name.IndexOf('>', StringComparison.Ordinal);
        if (!name.StartsWith('<') || close < 0)
        {
            return name;
        }

        string inner = name[1..close];
        string rest = name[(close + 1)..];
        isLambda |= rest.StartsWith("b__", StringComparison.Ordinal);
        if (inner.StartsWith('<'))
        {
            inner = Source(inner, ref isLambda);
        }

        return rest.StartsWith("g__", StringComparison.Ordinal) ? $"{inner}.{rest[3..].Split('|')[0]}" : inner;
    }

    private static string WithoutArity(string name)
    {
        int end = name.IndexOf('`', StringComparison.Ordinal);
        return end < 0 ? name : name[..end];
    }
}
