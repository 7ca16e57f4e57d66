namespace AdaptivePool.Sample.Bank.Threads;

/// <summary>Stops the app when its standard input ends, if it was asked to: a child process then dies with its parent, however that ended.</summary>
internal sealed class InputWatch(BankOptions options, IHostApplicationLifetime lifetime) : IHostedService
{
    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (options.StopWithInput)
        {
            new Thread(Watch) { IsBackground = true, Name = "input watch" }.Start();
        }

        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    private void Watch()
    {
        while (Console.In.ReadLine() is not null)
        {
            // Nothing is expected on it; only its end matters.
        }

        lifetime.StopApplication();
    }
}
