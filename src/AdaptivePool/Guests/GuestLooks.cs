using AdaptivePool.Internal;

namespace AdaptivePool.Guests;

/// <summary>
/// Which guests of a class are looked at: run under a context of their own, which sees their waits and brings what follows an await back to it. The others run
/// as without this pool, and only the watch sees them, until their first await. All are looked at in the beginning, and again after a wait. What a thread
/// writes here another may see some guests later: no other memory depends on it.
/// </summary>
/// <param name="turns">What the watch says.</param>
internal sealed class GuestLooks(LookTurns turns)
{
    /// <summary>Guests in a row, none of which waited, after which not all of the class are looked at.</summary>
    public const int Requests = 1_024;

    /// <summary>One guest in so many is looked at then, and the first in each turn: where requests come slowly, nearly all are.</summary>
    public const int OneIn = 8;

    /// <summary>Guests of one stripe between two questions whether there were enough: the question reads all stripes.</summary>
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

    /// <summary>One that was looked at waits. Any thread.</summary>
    /// <param name="requests">Guests of the class so far.</param>
    public void LookAgain(long requests)
    {
        Volatile.Write(ref _until, requests + Requests);
        Volatile.Write(ref _areFew, false);
    }

    /// <summary>
    /// One that was looked at has called an <c>async void</c> method: under no context what such a method throws would end the process. All are looked at for
    /// good. Any thread.
    /// </summary>
    public void LookAlways() => Volatile.Write(ref _isAlways, true);

    // Of a wait at the same moment this may know nothing. The next one that is looked at tells again.
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
