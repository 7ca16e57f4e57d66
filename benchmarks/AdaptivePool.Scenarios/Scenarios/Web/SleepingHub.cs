using Microsoft.AspNetCore.SignalR;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>A hub whose methods block.</summary>
public sealed class SleepingHub : Hub
{
    /// <summary>Sleeps.</summary>
    public int Sleep(int milliseconds)
    {
        Thread.Sleep(milliseconds);
        return milliseconds;
    }
}
