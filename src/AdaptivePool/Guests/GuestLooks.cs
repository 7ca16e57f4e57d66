using AdaptivePool.Internal;

namespace AdaptivePool.Guests;

/// <summary>
/// Which guests of a class are looked at. Such a guest runs under a context of its own, which sees its waits and gets the continuations of its awaits. The
/// others run as without this pool, and only the watch sees them, until their first await. All are looked at in the beginning, and again after a wait. Another
/// thread may see what a thread writes here some guests later: no other memory depends on it.
/// </summary>
/// <param name="turns">The turns of the watch.</param>
internal sealed class GuestLooks(LookTurns turns)
{
    /// <summary>After this many guests in a row, none of which waited, not all guests of the class are looked at.</summary>
    public const int Requests = 1_024;

    /// <summary>One guest in this many is looked at then, and the first in each turn: where requests come slowly, nearly all are.</summary>
    public const int OneIn = 8;

    /// <summary>Guests of one stripe between two checks whether there were enough: the check reads all stripes.</summary>
    private const int AskEach = 64;

    private long _until = Requests;
    private int _term;
    private long _turn;
    private bool _areFew;
    private bool _isAlways;

    /// <summary>Whether a guest that begins is to be looked at.</summary>
    /// <param name="number">Its number on its stripe of the counter.</param>
    /// <param name="requests">Counts the guests of the class.</param>
    public bool Wants(long number, StripedCounter requests)
    {
        int term = turns.Term;
        if (Volatile.Read(ref _isAlways) || !Volatile.Read(ref _areFew) || Volatile.Read(ref _term) != term)
        {
            if (number % AskEach == 0)
            {
                Ask(term, requests.Value);
            }

            return true;
        }

        if (number % OneIn == 0)
        {
            return true;
        }

        long turn = turns.Now;
        if (turn == Volatile.Read(ref _turn))
        {
            return false;
        }

        Volatile.Write(ref _turn, turn);
        return true;
    }

    /// <summary>Called when a guest that was looked at waits. Any thread.</summary>
    /// <param name="requests">Guests of the class so far.</param>
    public void LookAgain(long requests)
    {
        Volatile.Write(ref _until, requests + Requests);
        Volatile.Write(ref _areFew, false);
    }

    /// <summary>
    /// Called when a guest that was looked at has called an <c>async void</c> method: without a context, an exception of such a method would end the process.
    /// All guests are looked at from then on. Any thread.
    /// </summary>
    public void LookAlways() => Volatile.Write(ref _isAlways, true);

    // This may miss a wait at the same moment. The next guest that is looked at reports again.
    private void Ask(int term, long requests)
    {
        if (Volatile.Read(ref _term) != term)
        {
            LookAgain(requests);
            Volatile.Write(ref _term, term);
        }
        else if (requests >= Volatile.Read(ref _until))
        {
            Volatile.Write(ref _areFew, true);
        }
    }
}
