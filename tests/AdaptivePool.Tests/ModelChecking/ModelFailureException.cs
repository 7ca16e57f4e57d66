namespace AdaptivePool.Tests.ModelChecking;

/// <summary>A state that must not be: found by the checker itself or by a program's own check.</summary>
internal sealed class ModelFailureException(string message) : Exception(message)
{
    public static void Require(bool condition, string message)
    {
        if (!condition)
        {
            throw new ModelFailureException(message);
        }
    }
}
