namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>What a pool's name asks for: what serves, and whether threads of the runtime's pool look for work again before they sleep.</summary>
/// <param name="Server">The name without its ending.</param>
/// <param name="Spins">Whether they do, as without any setting.</param>
public sealed record WebPool(string Server, bool Spins)
{
    /// <summary>End of the names of pools beside which the runtime's threads sleep at once.</summary>
    public const string WithoutSpinning = "-without-spinning";

    // In hexadecimal, as the runtime reads the numbers of this variable.
    private const string SpinLimit = "DOTNET_ThreadPool_UnfairSemaphoreSpinLimit";

    /// <summary>Environment variables of the server's process.</summary>
    public IReadOnlyDictionary<string, string> Environment =>
        Spins ? new Dictionary<string, string>(StringComparer.Ordinal) : new Dictionary<string, string>(StringComparer.Ordinal) { [SpinLimit] = "0" };

    /// <summary>Reads a name.</summary>
    public static WebPool Parse(string name) => name.EndsWith(WithoutSpinning, StringComparison.Ordinal)
        ? new(name[..^WithoutSpinning.Length], Spins: false)
        : new(name, Spins: true);
}
