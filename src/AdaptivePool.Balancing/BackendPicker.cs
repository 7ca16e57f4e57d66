namespace AdaptivePool.Balancing;

/// <summary>One balancer for many threads: chooses under a lock, waits for a while when all backends are at their limit, and takes what they report.</summary>
/// <param name="balancer">What chooses; used by this picker only.</param>
/// <param name="clock">The clock; <see langword="null"/> for the system's.</param>
public sealed class BackendPicker(IBalancer balancer, TimeProvider? clock = null) : IDisposable
{
    /// <summary>What waits and down times are bounded by: the end of a longer one is beyond what a clock or a timer can tell.</summary>
    internal static readonly TimeSpan LongestTime = TimeSpan.FromDays(1);

    private const int SwitchingProtocols = 101;

    private static readonly TimeSpan s_shortestWait = TimeSpan.FromMilliseconds(1);

    private readonly IBalancer _balancer = balancer ?? throw new ArgumentNullException(nameof(balancer));
    private readonly TimeProvider _clock = clock ?? TimeProvider.System;
    private readonly long _origin = (clock ?? TimeProvider.System).GetTimestamp();
    private readonly Lock _lock = new();

    private readonly WaitLines _lines = new();

    /// <summary>Ends the waits.</summary>
    private readonly CancellationTokenSource _end = new();
    private long _shed;
    private long _malformed;
    private int _waiting;

    /// <summary>Time since the picker was created; the states' clock.</summary>
    public TimeSpan Now => _clock.GetElapsedTime(_origin);

    /// <summary>Requests for which no backend was chosen in time.</summary>
    public long Shed => Interlocked.Read(ref _shed);

    /// <summary>Reports that were none.</summary>
    public long Malformed => Interlocked.Read(ref _malformed);

    /// <summary>Requests that wait because all backends are at their limit.</summary>
    public int Waiting => Volatile.Read(ref _waiting);

    /// <summary>Chooses, and counts the request as sent. Never waits.</summary>
    /// <param name="backends">Those that may be chosen.</param>
    public BalancerChoice Pick(IReadOnlyList<BackendState> backends) => Pick(backends, isLast: true);

    /// <summary>Chooses, and counts the request as sent; waits while all backends are at their limit.</summary>
    /// <param name="backends">Those that may be chosen.</param>
    /// <param name="mostWait">Longest wait. Zero to a day.</param>
    /// <param name="mostWaiting">With so many waiting already the request does not wait. Zero or more.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The choice; none when all are still at their limit.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="mostWait"/> is out of its range.</exception>
    /// <exception cref="OperationCanceledException">The wait was ended.</exception>
    /// <exception cref="ObjectDisposedException">The picker was disposed during the wait.</exception>
    public ValueTask<BalancerChoice> PickAsync(
        IReadOnlyList<BackendState> backends, TimeSpan mostWait, int mostWaiting, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(backends);
        Require(mostWait, nameof(mostWait));

        // Whoever comes while others wait for the same stands behind them.
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

    /// <summary>A request has ended.</summary>
    /// <param name="backend">Where it was sent.</param>
    /// <param name="elapsed">Time from sending it to its answer; <see langword="null"/> when it was not answered.</param>
    public void End(BackendState backend, TimeSpan? elapsed)
    {
        ArgumentNullException.ThrowIfNull(backend);
        TimeSpan now = Now;
        lock (_lock)
        {
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
    /// A request has ended that was answered. An error of the server or a refusal (429, 500 and above) is no answer: it counts as in flight for some time more,
    /// because a backend that fails at once would have the least work of all, and get all that comes. One that answers nothing else for a second is left alone
    /// as one that answers nothing.
    /// </summary>
    /// <param name="backend">Where it was sent.</param>
    /// <param name="status">Status code of the answer.</param>
    /// <param name="elapsed">Time from sending it to its answer. Of a connection that has become one of its own (101) it says nothing.</param>
    public void End(BackendState backend, int status, TimeSpan elapsed)
    {
        if (!IsFailure(status))
        {
            End(backend, status == SwitchingProtocols ? null : elapsed);
            return;
        }

        ArgumentNullException.ThrowIfNull(backend);
        TimeSpan now = Now;
        lock (_lock)
        {
            backend.End(elapsed: null, now);
            backend.Fail(now);
            backend.Reach.Fail(now);
        }
    }

    /// <summary>A request has ended that could not be sent, because there was no connection. The backend is left alone for a while, where others are not; then
    /// one request at a time tries it, until one is answered.</summary>
    /// <param name="backend">Where it was to be sent.</param>
    /// <param name="downTime">How long it is left alone. Zero to a day.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="downTime"/> is out of its range.</exception>
    public void EndUnsent(BackendState backend, TimeSpan downTime)
    {
        ArgumentNullException.ThrowIfNull(backend);
        Require(downTime, nameof(downTime));
        TimeSpan now = Now;
        lock (_lock)
        {
            backend.End(elapsed: null, now);
            backend.Reach.FailUnsent(now, downTime);
        }
    }

    /// <summary>A backend has begun to answer a request, before <see cref="Take"/> and <see cref="End(BackendState, int, TimeSpan)"/>. One that could not be
    /// connected to before begins anew. Where nobody calls it, an answer counts when its request ends.</summary>
    /// <param name="backend">Which one.</param>
    /// <param name="status">Status code of the answer; one of a failure is none, and changes nothing. Default 200.</param>
    public void Answer(BackendState backend, int status = 200)
    {
        ArgumentNullException.ThrowIfNull(backend);
        if (IsFailure(status))
        {
            return;
        }

        TimeSpan now = Now;
        lock (_lock)
        {
            NoteAnswer(backend, now);
        }
    }

    /// <summary>Takes the text of a report that has come with an answer of a backend.</summary>
    /// <param name="backend">Which one.</param>
    /// <param name="text">The header's value.</param>
    public ReportVerdict Take(BackendState backend, ReadOnlySpan<char> text)
    {
        ArgumentNullException.ThrowIfNull(backend);
        if (!LoadReport.TryParse(text, out LoadReport report))
        {
            Interlocked.Increment(ref _malformed);
            return ReportVerdict.Malformed;
        }

        TimeSpan now = Now;
        lock (_lock)
        {
            return backend.Take(report, now);
        }
    }

    /// <summary>Ends the waits. Choosing goes on, without waiting.</summary>
    public void Dispose() => _end.Cancel();

    private static bool IsFailure(int status) => status is 429 or >= 500;

    private static void Require(TimeSpan time, string name) =>
        OptionCheck.Require(time >= TimeSpan.Zero && time <= LongestTime, name, time, "zero to a day");

    private BalancerChoice Pick(IReadOnlyList<BackendState> backends, bool isLast)
    {
        ArgumentNullException.ThrowIfNull(backends);
        TimeSpan now = Now;
        BalancerChoice choice;
        lock (_lock)
        {
            IReadOnlyList<BackendState> up = Up(backends, now);
            choice = _balancer.Choose(up, now);
            if (choice.IsChosen)
            {
                BackendState chosen = up[choice.Index];
                chosen.Begin();
                chosen.Reach.Send(now);
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

    /// <summary>Those that can be reached; all of them where none can.</summary>
    private static IReadOnlyList<BackendState> Up(IReadOnlyList<BackendState> backends, TimeSpan now)
    {
        List<BackendState>? up = null;
        for (int i = 0; i < backends.Count; i++)
        {
            bool isUp = backends[i].Reach.IsUp(now, backends[i].AnswerSeconds);
            if (!isUp)
            {
                up ??= [.. backends.Take(i)];
            }
            else
            {
                up?.Add(backends[i]);
            }
        }

        return up is { Count: > 0 } ? up : backends;
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
                while (true)
                {
                    TimeSpan left = until - Now;
                    BalancerChoice choice = Pick(backends, isLast: left <= TimeSpan.Zero);
                    if (choice.IsChosen || left <= TimeSpan.Zero)
                    {
                        return choice;
                    }

                    TimeSpan wait = choice.RetryAfter < left ? choice.RetryAfter : left;
                    await Task.Delay(wait > s_shortestWait ? wait : s_shortestWait, _clock, ends.Token);
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
        finally
        {
            _lines.Leave(line);
            Interlocked.Decrement(ref _waiting);
        }
    }
}
