using AdaptivePool.Hosting.Gates;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds transaction gates to an application's services.</summary>
public static class TransactionGateServiceCollectionExtensions
{
    /// <summary>
    /// Adds a gate that is configured by the section "TransactionGates:NAME" and then by code. Endpoints enter it with <c>RequireTransactionGate(NAME)</c>.
    /// Code gets it by its key (<c>[FromKeyedServices("NAME")] TransactionGate</c>). Another call with the same name only adds its code.
    /// </summary>
    /// <remarks>
    /// The section has the options of <see cref="TransactionGateOptions"/> by name, except Name, Bypass, HillClimbing, Fleet and MeterFactory. An unknown key
    /// or gate, a value of the wrong type or a value out of range makes the start fail with an <see cref="OptionsValidationException"/>. The container disposes
    /// the gate. If several hosts of a process have gates of the same name, all but the first get a number after the name in metrics and log lines, such as
    /// "bank-2".
    /// </remarks>
    /// <param name="services">The application's services.</param>
    /// <param name="name">The name of the gate. Not empty, without ':' and control characters.</param>
    /// <param name="configure">A function that changes the options. It gets the options with the values of the section. Default: none.</param>
    /// <returns><paramref name="services"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty or white space, or contains ':' or a control character.</exception>
    public static IServiceCollection AddTransactionGate(this IServiceCollection services, string name, Action<TransactionGateOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        OptionText.ThrowIfNoKey(name, nameof(name));
        var catalog = GateStartupFilter.Register(services);
        var options = services.AddOptions<TransactionGateOptions>(name);
        if (catalog.Names.Add(name))
        {
            options.ValidateOnStart();
            services.AddKeyedSingleton(name, static (provider, key) => GateLog.Follow(
                new TransactionGate(provider.GetRequiredService<IOptionsMonitor<TransactionGateOptions>>().Get((string)key)),
                provider.GetRequiredService<ILogger<TransactionGate>>()));
        }

        if (configure is not null)
        {
            options.Configure(configure);
        }

        return services;
    }
}
