using Microsoft.Extensions.Options;

namespace AdaptivePool.Yarp;

/// <summary>Refuses settings out of their range when the application starts.</summary>
internal sealed class CollaborativeProxyValidator : IValidateOptions<CollaborativeProxyOptions>
{
    public ValidateOptionsResult Validate(string? name, CollaborativeProxyOptions options)
    {
        string[] failures = [.. options.Failures()];
        return failures.Length == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }
}
