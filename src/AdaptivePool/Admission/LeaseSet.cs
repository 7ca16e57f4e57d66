namespace AdaptivePool.Admission;

/// <summary>The transactions inside a gate. Divided by thread, so that those that come and go on different threads hardly meet.</summary>
internal sealed class LeaseSet
{
    /// <summary>A power of two; more than the threads that start transactions at the same nanosecond.</summary>
    private const int StripeCount = 16;
    private readonly Stripe[] _stripes = [.. Enumerable.Range(0, StripeCount).Select(static index => new Stripe(index))];

    /// <summary>Transactions let in so far.</summary>
    public long Added => _stripes.Sum(static stripe => stripe.Added);

    public void Add(LeaseHold hold) => _stripes[Environment.CurrentManagedThreadId & (StripeCount - 1)].Add(hold);

    public void Remove(LeaseHold hold) => _stripes[hold.Id & (StripeCount - 1)].Remove(hold);

    /// <summary>Those inside at one moment, the one that has been inside longest first.</summary>
    public List<LeaseHold> ToList()
    {
        List<LeaseHold> holds = [];
        AddAll(holds, stripe: 0);
        holds.Sort(static (a, b) => a.Since.CompareTo(b.Since));
        return holds;
    }

    /// <summary>Takes the locks of all stripes in their order before it reads any: one after another would also list a transaction that ended, beside the one that then came in elsewhere.</summary>
    private void AddAll(List<LeaseHold> holds, int stripe)
    {
        if (stripe < StripeCount)
        {
            using (_stripes[stripe].Enter())
            {
                AddAll(holds, stripe + 1);
                _stripes[stripe].AddTo(holds);
            }
        }
    }

    private sealed class Stripe(int index)
    {
        private readonly Lock _lock = new();
        private LeaseHold? _first;
        private long _added;

        public long Added
        {
            get
            {
                lock (_lock)
                {
                    return _added;
                }
            }
        }

        public void Add(LeaseHold hold)
        {
            lock (_lock)
            {
                // The stripe is read off the number again.
                hold.Id = (_added++ * StripeCount) + index;
                hold.Next = _first;
                if (_first is { } first)
                {
                    first.Previous = hold;
                }

                _first = hold;
            }
        }

        public void Remove(LeaseHold hold)
        {
            lock (_lock)
            {
                if (hold.Previous is { } previous)
                {
                    previous.Next = hold.Next;
                }
                else
                {
                    _first = hold.Next;
                }

                if (hold.Next is { } next)
                {
                    next.Previous = hold.Previous;
                }

                hold.Previous = null;
                hold.Next = null;
            }
        }

        public Lock.Scope Enter() => _lock.EnterScope();

        /// <summary>Inside <see cref="Enter"/>.</summary>
        public void AddTo(List<LeaseHold> holds)
        {
            for (LeaseHold? hold = _first; hold is not null; hold = hold.Next)
            {
                holds.Add(hold);
            }
        }
    }
}
