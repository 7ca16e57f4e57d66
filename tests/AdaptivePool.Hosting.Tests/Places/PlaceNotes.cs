using AdaptivePool.Hosting.Tests.Apps;

namespace AdaptivePool.Hosting.Tests.Places;

/// <summary>
/// Where a piece of an application's code ran: at its begin, after an await, after an await inside
/// <see cref="AdaptiveThreadPool.Run(Func{Task}, WorkPriority, CancellationToken)"/>.
/// </summary>
internal sealed class PlaceNotes(AdaptiveThreadPool pool)
{
    private readonly TaskCompletionSource<string> _places = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task<string> Places => _places.Task.WaitAsync(TestApp.Patience);

    public async Task TakeAsync()
    {
        var begin = Whereabouts.Here();
        await Task.Delay(1);
        var after = Whereabouts.Here();
        var inside = "";
        await pool.Run(async () =>
        {
            await Task.Delay(1);
            inside = Whereabouts.Here();
        });
        _places.TrySetResult($"{begin}, {after}, {inside}");
    }
}
