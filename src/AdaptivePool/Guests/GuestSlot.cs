namespace AdaptivePool.Guests;

/// <summary>A thread of the runtime's pool that runs guests, and what the watch has seen of it.</summary>
internal sealed class GuestSlot : GuestMark<RealSync>
{
    /// <summary>Contexts that a thread keeps: as many as the requests that it begins before it goes on with the first. The collector takes the rest.</summary>
    private const int MostSpares = 16;

    [ThreadStatic]
    private static GuestSlot? t_current;

    private readonly ScopeNumbers _scopes = new();

    // Open scopes of the code that began the running guest.
    private int _outerScopes;
    private Stack<GuestContext> _spares = new();

    private GuestSlot()
    {
        Thread = Thread.CurrentThread;
        ThreadId = ThreadClock.CurrentThreadId();
    }

    /// <summary>The slot of the calling thread. The watch gets to know a new slot.</summary>
    public static GuestSlot Current => t_current ?? Create();

    /// <summary>The slot of the calling thread while a guest runs there; <see langword="null"/> otherwise.</summary>
    public static GuestSlot? Running => t_current is { IsRunning: true } slot ? slot : null;

    /// <summary>The same, for guests of one pool.</summary>
    public static GuestSlot? RunningOf(AdaptiveThreadPool pool) =>
        Running is { } slot && slot.OwnerOf(slot.Sequence) is GuestClass { Owner.Pool: var its } && its == pool ? slot : null;

    /// <summary>The thread it belongs to.</summary>
    public Thread Thread { get; }

    /// <summary>The system's number of the thread; 0 where it has none.</summary>
    public int ThreadId { get; }

    /// <summary>What the watch saw last. The watch only.</summary>
    public int SeenSequence { get; set; }

    /// <summary>How long the watch has seen it. The watch only.</summary>
    public TimeSpan Age { get; set; }

    /// <summary>CPU clock of the thread when the watch first saw it, in seconds. The watch only.</summary>
    public double CpuAtFirst { get; set; } = double.NaN;

    /// <summary>The class that lost trust because of this guest. That happens once, however long the guest stays. The watch only.</summary>
    public GuestClass? Blamed { get; set; }

    /// <summary>Whether the running guest has opened a scope: inside it, the guest may block. Own thread only.</summary>
    public bool HasScope => _scopes.Count > _outerScopes;

    /// <summary>Opens a <see cref="BlockingScope"/>. Own thread only.</summary>
    /// <returns>Number of the scope.</returns>
    public long EnterScope() => _scopes.Open();

    /// <summary>Closes a <see cref="BlockingScope"/>, and the scopes inside it. Does nothing when it is closed already. Own thread only.</summary>
    public void LeaveScope(long number)
    {
        if (_scopes.PlaceOf(number) is >= 0 and var place)
        {
            _scopes.CloseFrom(place);
        }
    }

    /// <summary>Called when a guest begins: scopes that are open then are not its own. Own thread only.</summary>
    /// <returns>What <see cref="LeaveScopes"/> needs.</returns>
    public int EnterScopes()
    {
        int before = _outerScopes;
        _outerScopes = _scopes.Count;
        return before;
    }

    /// <summary>Called when the guest ends. Closes the scopes that it has left open. Own thread only.</summary>
    /// <param name="before">What <see cref="EnterScopes"/> returned.</param>
    public void LeaveScopes(int before)
    {
        if (HasScope)
        {
            _scopes.CloseFrom(_outerScopes);
        }

        _outerScopes = before;
    }

    /// <summary>A context for a request of a class. Own thread only.</summary>
    public GuestContext Take(GuestClass guests)
    {
        Stack<GuestContext> spares = _spares;
        return spares.TryPeek(out GuestContext? spare) && ReferenceEquals(spare.Guests, guests) ? spares.Pop() : new GuestContext(guests);
    }

    /// <summary>
    /// Called when the request of a context has ended: other requests of its class may have the context. Code that the request left running may still post
    /// there. That code runs as work of the class, whichever request has the context. Own thread only.
    /// </summary>
    public void GiveBack(GuestContext context)
    {
        // Acquires: pairs with the write in Forget, which comes after the pool was closed. Without it, a context of such a pool could get among those that
        // stay.
        Stack<GuestContext> spares = Volatile.Read(ref _spares);
        if (context.Guests.Owner.Pool.IsClosed)
        {
            return;
        }

        if (spares.TryPeek(out GuestContext? spare) && !ReferenceEquals(spare.Guests, context.Guests))
        {
            // Contexts of the class that was here last are wanted next.
            spares.Clear();
        }

        if (spares.Count < MostSpares)
        {
            spares.Push(context);
        }
    }

    /// <summary>
    /// Forgets all contexts that wait here: a pool has ended, and the thread may never have another guest. Any thread. A method that is under way on the
    /// slot's thread goes on with contexts that no other code has any more.
    /// </summary>
    public void Forget() => Volatile.Write(ref _spares, new Stack<GuestContext>());

    private static GuestSlot Create()
    {
        var slot = new GuestSlot();
        t_current = slot;
        GuestWatch.Process.Add(slot);
        return slot;
    }
}
