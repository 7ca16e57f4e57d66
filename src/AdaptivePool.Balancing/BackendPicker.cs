namespace AdaptivePool.Balancing;

/// <summary>
/// One balancer for many threads. It chooses a backend under a lock, waits for some time if all backends are at their limit, and processes their reports.
/// </summary>
/// <param name="balancer">The balancer that chooses. Only this picker may use it.</param>
/// <param name="clock">The clock; <see langword="null"/> for the system's clock.</param>
public sealed class BackendPicker(IBalancer balancer, TimeProvider? clock = null) : IDisposable
{
    /// <summary>The bound of waits and down times. The end of a longer time is beyond what a clock or a timer can represent.</summary>
    internal static readonly TimeSpan LongestTime = TimeSpan.FromDays(1);

    private const int SwitchingProtocols = 101;
    private const int FirstError = 400;

    private static readonly TimeSpan s_shortestWait = TimeSpan.FromMilliseconds(1);

    private readonly IBalancer _balancer = balancer ?? throw new ArgumentNullException(nameof(balancer));
    private readonly TimeProvider _clock = clock ?? TimeProvider.System;
    private readonly long _origin = (clock ?? TimeProvider.System).GetTimestamp();

    /// <summary>The clock is read inside the lock. A thread that waits for the lock with an earlier time would take events of the meantime for events before
    /// the clock was set back.</summary>
    private readonly Lock _lock = new();

    private readonly WaitLines _lines = new();

    /// <summary>Ends the waits.</summary>
    private readonly CancellationTokenSource _end = new();
    private long _shed;
    private long _malformed;
    private int _waiting;

    /// <summary>The time since the picker was created. It is the clock of the states.</summary>
    public TimeSpan Now => _clock.GetElapsedTime(_origin);

    /// <summary>The number of requests for which no backend was chosen in time.</summary>
    public long Shed => Interlocked.Read(ref _shed);

    /// <summary>The number of texts that were not a valid report.</summary>
    public long Malformed => Interlocked.Read(ref _malformed);

    /// <summary>The number of requests that wait because all backends are at their limit.</summary>
    public int Waiting => Volatile.Read(ref _waiting);

    /// <summary>Chooses a backend and counts the request as sent. Never waits.</summary>
    /// <param name="backends">The backends to choose from.</param>
    public BalancerChoice Pick(IReadOnlyList<BackendState> backends) => Pick(backends, isLast: true);

    /// <summary>Chooses a backend and counts the request as sent. Waits while all backends are at their limit.</summary>
    /// <param name="backends">The backends to choose from.</param>
    /// <param name="mostWait">The maximum wait. Zero to a day.</param>
    /// <param name="mostWaiting">The maximum number of waiting requests. If that many wait already, the request does not wait. Zero or more.</param>
    /// <param name="cancellationToken">A token that cancels the wait.</param>
    /// <returns>The choice; none if all backends are still at their limit.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="mostWait"/> or <paramref name="mostWaiting"/> is out of its range.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The picker was disposed during the wait.</exception>
    public ValueTask<BalancerChoice> PickAsync(
        IReadOnlyList<BackendState> backends, TimeSpan mostWait, int mostWaiting, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(backends);
        Require(mostWait, nameof(mostWait));
        OptionCheck.Require(mostWaiting >= 0, nameof(mostWaiting), mostWaiting, "zero or more");

        // A request that comes while others wait for the same backends waits behind them.
        bool mayWait = mostWait > TimeSpan.Zero && backends.Count > 0 && !_end.IsCancellationRequested;
        if (!mayWait || Waiting == 0 || _lines.IsFree(backends))
        {
            BalancerChoice choice = Pick(backends, isLast: !mayWait);
            if (choice.IsChosen || !mayWait)
            {
                return ValueTask.FromResult(choice);
            }
        }

        if (Interlocked.Increment(ref _waiting) <= mostWaiting)
        {
            return WaitAsync(backends, mostWait, cancellationToken);
        }

        Interlocked.Decrement(ref _waiting);
        return ValueTask.FromResult(Pick(backends, isLast: true));
    }

    /// <summary>Reports that a request has ended.</summary>
    /// <param name="backend">The backend that the request was sent to.</param>
    /// <param name="elapsed">The time from sending the request to its response; <see langword="null"/> if there was no response.</param>
    public void End(BackendState backend, TimeSpan? elapsed)
    {
        ArgumentNullException.ThrowIfNull(backend);
        lock (_lock)
        {
            TimeSpan now = Now;
            backend.End(elapsed, now);
            if (elapsed is null)
            {
                backend.Reach.Fail(now);
            }
            else
            {
                NoteAnswer(backend, now);
            }
        }
    }

    /// <summary>
    /// Reports that a request has ended with a response. An error of the server or a refusal (429, 500 and above) does not count as a response: the request
    /// counts as in flight for some more time. Otherwise a backend that fails at once would have the least work of all, and would get all requests. A backend
    /// that returns nothing else for a second gets no requests for a while, like one that returns no response.
    /// </summary>
    /// <param name="backend">The backend that the request was sent to.</param>
    /// <param name="status">The status code of the response.</param>
    /// <param name="elapsed">
    /// The time from sending the request to its response. It is not used for a connection that has switched to another protocol (101), nor for an error of the
    /// client (400 and above).
    /// </param>
    public void End(BackendState backend, int status, TimeSpan elapsed)
    {
        ArgumentNullException.ThrowIfNull(backend);
        lock (_lock)
        {
            TimeSpan now = Now;
            backend.End(status is SwitchingProtocols or >= FirstError ? null : elapsed, now);
            if (!IsFailure(status))
            {
                NoteAnswer(backend, now);
                return;
            }

            backend.Fail(now);
            backend.Reach.Fail(now);
        }
    }

    /// <summary>
    /// Reports that a request has ended without being sent, because there was no connection. The backend gets no requests for a while, if other backends are
    /// available. Then single requests try it, until one gets a response.
    /// </summary>
    /// <param name="backend">The backend that the request was to be sent to.</param>
    /// <param name="downTime">How long the backend gets no requests. Zero to a day.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="downTime"/> is out of its range.</exception>
    public void EndUnsent(BackendState backend, TimeSpan downTime)
    {
        ArgumentNullException.ThrowIfNull(backend);
        Require(downTime, nameof(downTime));
        lock (_lock)
        {
            TimeSpan now = Now;
            backend.End(elapsed: null, now);
            backend.Reach.FailUnsent(now, downTime);
        }
    }

    /// <summary>
    /// Reports that a backend has begun to respond to a request. Call it before <see cref="Take"/> and <see cref="End(BackendState, int, TimeSpan)"/>. A
    /// backend that could not be connected to before starts anew. If this method is not called, a response counts when its request ends.
    /// </summary>
    /// <param name="backend">The backend.</param>
    /// <param name="status">The status code of the response. A status of a failure changes nothing. Default 200.</param>
    public void Answer(BackendState backend, int status = 200)
    {
        ArgumentNullException.ThrowIfNull(backend);
        if (IsFailure(status))
        {
            return;
        }

        lock (_lock)
        {
            NoteAnswer(backend, Now);
        }
    }

    /// <summary>Processes the text of a report that came with a response of a backend.</summary>
    /// <param name="backend">The backend.</param>
    /// <param name="text">The value of the header.</param>
    public ReportVerdict Take(BackendState backend, ReadOnlySpan<char> text)
    {
        ArgumentNullException.ThrowIfNull(backend);
        if (!LoadReport.TryParse(text, out LoadReport report))
        {
            Interlocked.Increment(ref _malformed);
            return ReportVerdict.Malformed;
        }

        lock (_lock)
        {
            return backend.Take(report, Now);
        }
    }

    /// <summary>Ends the waits. The picker still chooses after that, without waiting.</summary>
    public void Dispose() => _end.Cancel();

    private static bool IsFailure(int status) => status is 429 or >= 500;

    private static void Require(TimeSpan time, string name) =>
        OptionCheck.Require(time >= TimeSpan.Zero && time <= LongestTime, name, time, "zero to a day");

    private BalancerChoice Pick(IReadOnlyList<BackendState> backends, bool isLast)
    {
        ArgumentNullException.ThrowIfNull(backends);
        BalancerChoice choice;
        lock (_lock)
        {
            TimeSpan now = Now;

            // With thousands of backends a look at all of them costs more than the choice.
            IReadOnlyList<BackendState> up = _balancer is CollaborativeBalancer ? backends : BackendReach.Up(backends, now);
            choice = _balancer.Choose(up, now);
            if (choice.Index >= up.Count)
            {
                throw new InvalidOperationException(FormattableString.Invariant($"{_balancer} chose backend {choice.Index} of {up.Count}, counted from 0."));
            }

            // The code that tells a client when to come back cannot represent longer times.
            choice = choice.RetryAfter > LongestTime ? choice with { RetryAfter = LongestTime } : choice;
            if (choice.IsChosen)
            {
                BackendState chosen = up[choice.Index];
                chosen.Begin();
                chosen.Reach.Send(now, chosen.AnswerSeconds);
                choice = up == backends ? choice : BalancerChoice.Of(IndexOf(backends, chosen));
            }
        }

        if (!choice.IsChosen && isLast)
        {
            Interlocked.Increment(ref _shed);
        }

        return choice;
    }

    private static void NoteAnswer(BackendState backend, TimeSpan now)
    {
        if (backend.Reach.Answer())
        {
            backend.Restart(now);
        }
    }

    private static int IndexOf(IReadOnlyList<BackendState> backends, BackendState wanted)
    {
        int index = 0;
        while (backends[index] != wanted)
        {
            index++;
        }

        return index;
    }

    private async ValueTask<BalancerChoice> WaitAsync(IReadOnlyList<BackendState> backends, TimeSpan mostWait, CancellationToken cancellationToken)
    {
        TimeSpan until = Now + mostWait;
        using CancellationTokenSource ends = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _end.Token);
        WaitLines.Line line = _lines.Join(backends);
        try
        {
            if (!await line.First.WaitAsync(mostWait, ends.Token))
            {
                return Pick(backends, isLast: true);
            }

            try
            {
                TimeSpan now = Now;
                TimeSpan stood = TimeSpan.Zero;
                while (true)
                {
                    TimeSpan left = until - now - stood;
                    BalancerChoice choice = Pick(backends, isLast: left <= TimeSpan.Zero);
                    if (choice.IsChosen || left <= TimeSpan.Zero)
                    {
                        return choice;
                    }

                    TimeSpan wait = choice.RetryAfter < left ? choice.RetryAfter : left;
                    wait = wait > s_shortestWait ? wait : s_shortestWait;
                    await Task.Delay(wait, _clock, ends.Token);

                    // A clock that stands still, as in a test, or that was set back does not extend the wait: the time of the timers counts. Once the clock
                    // continues, its time counts: a timer has whole milliseconds, and may end early.
                    TimeSpan before = now;
                    now = Now;
                    (until, stood) = now > before ? (until, TimeSpan.Zero) : (until - (before - now), stood + wait);
                }
            }
            finally
            {
                line.First.Release();
            }
        }
        catch (OperationCanceledException exception) when (_end.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw new ObjectDisposedException($"The {nameof(BackendPicker)} was disposed while a request waited.", exception);
        }
        catch (OperationCanceledException exception)
        {
            // Thrown with the caller's token, and not with the linked one.
            throw new OperationCanceledException(exception.Message, exception, cancellationToken);
        }
        finally
        {
            _lines.Leave(line);
            Interlocked.Decrement(ref _waiting);
        }
    }
}
