using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Load;

/// <summary>Refuses settings out of their range when the application starts.</summary>
internal sealed class LoadReportingValidator : IValidateOptions<LoadReportingOptions>
{
    public ValidateOptionsResult Validate(string? name, LoadReportingOptions options)
    {
        string[] failures = [.. options.Failures()];
        return failures.Length == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }
}
