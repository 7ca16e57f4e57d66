namespace AdaptivePool.Guests;

/// <summary>A thread of the runtime's pool that runs guests, and what the watch has seen of it.</summary>
internal sealed class GuestSlot : GuestMark<RealSync>
{
    /// <summary>Contexts that a thread keeps: as many as requests that it begins before it goes on with the first. The rest is the collector's.</summary>
    private const int MostSpares = 16;

    [ThreadStatic]
    private static GuestSlot? t_current;

    private readonly ScopeNumbers _scopes = new();

    // Open ones of whoever began the guest that runs.
    private int _outerScopes;
    private Stack<GuestContext> _spares = new();

    private GuestSlot()
    {
        Thread = Thread.CurrentThread;
        ThreadId = ThreadClock.CurrentThreadId();
    }

    /// <summary>The slot of the calling thread, made known to the watch when it is new.</summary>
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

    /// <summary>For how long it has seen it. The watch only.</summary>
    public TimeSpan Age { get; set; }

    /// <summary>CPU clock of the thread when the watch first saw it, in seconds. The watch only.</summary>
    public double CpuAtFirst { get; set; } = double.NaN;

    /// <summary>The class that this guest has cost the trust: it does so once, however long it stays. The watch only.</summary>
    public GuestClass? Blamed { get; set; }

    /// <summary>Whether the guest that runs has opened a scope: inside it, it may block. Own thread only.</summary>
    public bool HasScope => _scopes.Count > _outerScopes;

    /// <summary>Opens a <see cref="BlockingScope"/>. Own thread only.</summary>
    /// <returns>Number of the scope.</returns>
    public long EnterScope() => _scopes.Open();

    /// <summary>Closes a <see cref="BlockingScope"/>, and those inside it. Does nothing when it is closed. Own thread only.</summary>
    public void LeaveScope(long number)
    {
        if (_scopes.PlaceOf(number) is >= 0 and var place)
        {
            _scopes.CloseFrom(place);
        }
    }

    /// <summary>A guest begins: scopes that are open are not its own. Own thread only.</summary>
    /// <returns>What <see cref="LeaveScopes"/> needs.</returns>
    public int EnterScopes()
    {
        int before = _outerScopes;
        _outerScopes = _scopes.Count;
        return before;
    }

    /// <summary>It ends: those that it has left open are closed. Own thread only.</summary>
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
    /// The request of a context has ended, and others of its class may have it. What the request left running may post there still: it runs as work of the
    /// class, whoever has the context. Own thread only.
    /// </summary>
    public void GiveBack(GuestContext context)
    {
        // Acquires: pairs with the write in Forget, which comes after the pool was closed. Without it a context of such a pool could get among those that stay.
        Stack<GuestContext> spares = Volatile.Read(ref _spares);
        if (context.Guests.Owner.Pool.IsClosed)
        {
            return;
        }

        if (spares.TryPeek(out GuestContext? spare) && !ReferenceEquals(spare.Guests, context.Guests))
        {
            // Those of the class that was here last are wanted next.
            spares.Clear();
        }

        if (spares.Count < MostSpares)
        {
            spares.Push(context);
        }
    }

    /// <summary>
    /// Forgets all contexts that wait here: a pool has ended, and the thread may have no other guest for as long as it lives. Any thread; a method of the
    /// thread that is under way goes on with those that nobody else has any more.
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
