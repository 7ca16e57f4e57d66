using System.Diagnostics;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Load;

/// <summary>One client of a <see cref="ClosedLoop"/>, and its item.</summary>
public sealed class ClosedLoopClient(ClosedLoop loop, int number, ComparedClass target, Action? work, Func<Task>? asyncWork) : IThreadPoolWorkItem
{
    private Func<Task>? _run;
    private bool _hasEnded;

    /// <summary>Position among the clients.</summary>
    public int Number => number;

    /// <summary>When the present item was sent, in stopwatch ticks.</summary>
    public long SentAt { get; private set; }

    /// <summary>Sends the next item.</summary>
    public void Send()
    {
        SentAt = Stopwatch.GetTimestamp();
        if (work is not null)
        {
            target.Queue(this);
        }
        else
        {
            _hasEnded = false;
            Task run = target.Run(_run ??= ExecuteAsync);
            if (!run.IsCompletedSuccessfully)
            {
                run.ContinueWith(static (failed, state) => ((ClosedLoopClient)state!).OnRefused(failed.Exception!.InnerException!), this,
                    CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            }
        }
    }

    /// <inheritdoc/>
    public void Execute()
    {
        Exception? failure = null;
        try
        {
            work!();
        }
        catch (Exception exception)
        {
            failure = exception;
        }

        loop.OnEnded(this, failure);
    }

    private async Task ExecuteAsync()
    {
        Exception? failure = null;
        try
        {
            await asyncWork!();
        }
        catch (Exception exception)
        {
            failure = exception;
        }

        Volatile.Write(ref _hasEnded, true);
        loop.OnEnded(this, failure);
    }

    /// <summary>Whoever refuses an item does not run it: without this the client would be lost. What fails after the end is not the client's.</summary>
    private void OnRefused(Exception refusal)
    {
        if (!Volatile.Read(ref _hasEnded))
        {
            loop.OnEnded(this, refusal);
        }
    }
}
