using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>
/// One use of a connection, from the time it is opened until it is closed: the provider's session that serves it, and how many calls are inside that session.
/// Once the use has ended, no call of any of its objects begins: the session may be another user's by then. A session in which a call still ran when the use
/// ended goes to no other user.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <typeparam name="TSession">Type of sessions.</typeparam>
internal sealed class ConnectionUse<TSync, TSession>
    where TSync : struct, ISync
    where TSession : class
{
    /// <summary>In the word, above the number of calls that are inside.</summary>
    private const long Ended = 1L << 40;

    /// <summary>Stands in place of a session once no call may set one.</summary>
    private static readonly object s_none = new();

    private long _word;
    private object? _session;
    private int _begins;

    /// <summary>The session; <see langword="null"/> before there is one, and after the end.</summary>
    // The runtime publishes the contents of the object with the reference to it.
    public TSession? Session => TSync.RelaxedRead(ref _session) as TSession;

    /// <summary>Whether the use has ended. A hint: it may end at any time.</summary>
    public bool HasEnded => (TSync.RelaxedRead(ref _word) & Ended) != 0;

    /// <summary>The present use of a connection; <see langword="null"/> while it is closed.</summary>
    // The runtime publishes the contents of the object with the reference to it.
    public static ConnectionUse<TSync, TSession>? Present(ref ConnectionUse<TSync, TSession>? present) => TSync.RelaxedRead(ref present);

    /// <summary>Begins the present use of a connection; false when there is one.</summary>
    // Pairs with itself.
    public static bool TryOpen(ref ConnectionUse<TSync, TSession>? present) =>
        TSync.RelaxedCompareExchange(ref present, new ConnectionUse<TSync, TSession>(), null) is null;

    /// <summary>Takes the present use out of a connection. One caller gets it, and ends it; <see langword="null"/> for other callers, and when there is
    /// none.</summary>
    public static ConnectionUse<TSync, TSession>? TryTake(ref ConnectionUse<TSync, TSession>? present)
    {
        ConnectionUse<TSync, TSession>? taken = Present(ref present);

        // Pairs with itself.
        return taken is not null && ReferenceEquals(TSync.RelaxedCompareExchange(ref present, null, taken), taken) ? taken : null;
    }

    /// <summary>A call is about to open the session of a connection. If the result is <see langword="null"/>, the call may open it, and then calls
    /// <see cref="LeaveOpening"/>.</summary>
    /// <param name="present">The opening that runs on the connection.</param>
    /// <param name="opening">The caller's own.</param>
    /// <returns>The opening of another call, for which this one waits.</returns>
    // Acquire: pairs with the write in LeaveOpening, so that the next call that opens sees the session of the one before.
    public static TaskCompletionSource? TryEnterOpening(ref TaskCompletionSource? present, TaskCompletionSource opening) =>
        TSync.OrderedCompareExchange(ref present, opening, null);

    /// <summary>The session is open, or the opening has failed.</summary>
    // Release: pairs with the compare-exchange in TryEnterOpening.
    public static void LeaveOpening(ref TaskCompletionSource? present) => TSync.VolatileWrite(ref present, null);

    /// <summary>A call is about to touch the session; false once the use has ended. A call that may enter calls <see cref="Leave"/> afterwards.</summary>
    public bool TryEnter()
    {
        long word = TSync.RelaxedRead(ref _word);
        while ((word & Ended) == 0)
        {
            // Pairs with End: one word, so either that counts this call, or this call finds the end. It orders nothing:
            // what the call reads is of a use that had not ended.
            long seen = TSync.RelaxedCompareExchange(ref _word, word + 1, word);
            if (seen == word)
            {
                return true;
            }

            word = seen;
        }

        return false;
    }

    /// <summary>The call has left the session.</summary>
    /// <returns>Whether the use has ended meanwhile: then no other code looks for what the call has left in the session.</returns>
    // Release: pairs with the update in End, so that the call that hands the session on comes after all that was done in it. Acquire: a call that finds the end
    // comes after all that was done before the end.
    public bool Leave() => (TSync.OrderedDecrement(ref _word) & Ended) != 0;

    /// <summary>A transaction is about to begin; false when another one is. A call that may begin one calls <see cref="LeaveBegin"/> afterwards.</summary>
    // Acquire: pairs with the write in LeaveBegin, so that the next call that begins one, in turn or not, sees the session and the transaction of the one
    // before.
    public bool TryEnterBegin() => TSync.OrderedExchange(ref _begins, 1) == 0;

    /// <summary>The transaction has begun, or its begin has failed.</summary>
    // Release: pairs with the exchange in TryEnterBegin.
    public void LeaveBegin() => TSync.VolatileWrite(ref _begins, 0);

    /// <summary>A call that has entered, and leaves when this is disposed. For a call that leaves nothing in the session that must be ended.</summary>
    /// <param name="use">Its use.</param>
    public readonly struct Visit(ConnectionUse<TSync, TSession> use) : IDisposable
    {
        public void Dispose() => use.Leave();
    }

    /// <summary>A session has been opened for the use, by a caller inside; false when the use has ended. Then the caller still owns the session.</summary>
    // Pairs with itself and with the update in End: either that takes the session, or this finds that none is wanted.
    public bool TryBegin(TSession session) => TSync.RelaxedCompareExchange(ref _session, session, null) is null;

    /// <summary>Ends the use. Called once, by the caller that has taken it.</summary>
    /// <returns>The session, and whether no call is inside it.</returns>
    public (TSession? Session, bool IsQuiet) End()
    {
        long word;
        do
        {
            // Pairs with TryEnter, and with Leave.
            word = TSync.RelaxedRead(ref _word);
        }
        while (TSync.OrderedCompareExchange(ref _word, word | Ended, word) != word);

        // Pairs with TryBegin: a session that is there stays until it is taken, and where there is none, no call sets one any more.
        object? session = TSync.RelaxedCompareExchange(ref _session, s_none, null);
        TSync.RelaxedWrite(ref _session, s_none);
        return (session as TSession, word == 0);
    }
}
