namespace AdaptivePool.Sensing;

/// <summary>
/// Where the pools of a process tell each other what they use of its cores, and what they may still use of its threads. Each pool writes its own entry and
/// reads the entries of the others; no pool waits for another.
/// </summary>
internal sealed class CpuBudget
{
    private readonly Lock _registry = new();
    private Member[] _members = [];

    /// <summary>The budget that all pools of this process share; tests that must not see each other make their own.</summary>
    public static CpuBudget Process { get; } = new();

    /// <summary>Pools that take part.</summary>
    public int Count => Volatile.Read(ref _members).Length;

    /// <summary>Adds a pool.</summary>
    /// <param name="isElastic">Whether it runs background work: what that uses is free for all others, and so are the cores.</param>
    /// <param name="threads">Returns how many threads the pool has.</param>
    public Member Join(bool isElastic = false, Func<int>? threads = null)
    {
        var joined = new Member(this, isElastic, threads ?? (static () => 0));
        lock (_registry)
        {
            // Replaced as a whole: readers take no lock.
            Volatile.Write(ref _members, [.. _members, joined]);
        }

        return joined;
    }

    /// <summary>The entry of one pool. Written by its sizing thread alone; a reader may see numbers of two moments, which differ by a tick.</summary>
    internal sealed class Member(CpuBudget budget, bool isElastic, Func<int> threads)
    {
        /// <summary>Pools up to this number are shared out without memory of their own.</summary>
        private const int MostOnStack = 64;

        private int _hogDemand;
        private double _cores;
        private long _at;
        private int _mostThreads;

        /// <summary>Reports the CPU that the pool's workers were seen to use.</summary>
        /// <param name="cores">In cores.</param>
        public void TellUse(double cores)
        {
            Volatile.Write(ref _cores, cores);
            Volatile.Write(ref _at, Stopwatch.GetTimestamp());
        }

        /// <summary>Reports how many threads the pool may have, as it found by its last look.</summary>
        public void TellThreads(int most) => Volatile.Write(ref _mostThreads, most);

        /// <summary>Threads that all other pools may still start and have not. A pool that sleeps looks again before it starts many.</summary>
        public long OthersThreads()
        {
            long sum = 0;
            foreach (Member other in Volatile.Read(ref budget._members))
            {
                sum += ReferenceEquals(other, this) || !other.IsAwake ? 0 : Math.Max(0, Volatile.Read(ref other._mostThreads) - other.Threads);
            }

            return sum;
        }

        /// <summary>CPU that the workers of all other pools were seen to use, in cores.</summary>
        public double OthersCores() => OthersCores(onlyElastic: false);

        /// <summary>The part of it that background work uses, which is free for this pool; 0 where it runs background work itself.</summary>
        public double ElasticCores() => IsElastic ? 0 : OthersCores(onlyElastic: true);

        /// <summary>Pools that take part, this one included.</summary>
        public int Pools => budget.Count;

        /// <summary>Pools that do not sleep, this one included.</summary>
        public int AwakePools => Array.FindAll(Volatile.Read(ref budget._members), other => ReferenceEquals(other, this) || other.IsAwake).Length;

        private bool IsElastic { get; } = isElastic;

        private int Threads => threads();

        private bool IsAwake => Stopwatch.GetElapsedTime(Volatile.Read(ref _at)).TotalSeconds < CpuShareRule.StaleSeconds;

        private double OthersCores(bool onlyElastic)
        {
            double sum = 0;
            foreach (Member other in Volatile.Read(ref budget._members))
            {
                bool counts = !ReferenceEquals(other, this) && (other.IsElastic || !onlyElastic) && other.IsAwake;
                sum += counts ? Volatile.Read(ref other._cores) : 0;
            }

            return sum;
        }

        /// <summary>Reports what the pool's hogs could use, and returns what they may have.</summary>
        /// <param name="demand">Threads that they could use; 0 for none.</param>
        /// <param name="most">Threads that the hogs of all pools may have together.</param>
        public int ShareHogs(int demand, int most)
        {
            if (IsElastic)
            {
                return most;
            }

            Volatile.Write(ref _hogDemand, demand);
            Member[] members = Volatile.Read(ref budget._members);
            if (members.Length <= 1)
            {
                return most;
            }

            Span<int> demands = members.Length <= MostOnStack ? stackalloc int[MostOnStack] : new int[members.Length];
            for (int i = 0; i < members.Length; i++)
            {
                // A pool that sleeps has no hogs, even if its hogs ended after its last look.
                demands[i] = ReferenceEquals(members[i], this) || members[i].IsAwake ? Volatile.Read(ref members[i]._hogDemand) : 0;
            }

            return CpuShareRule.HogThreads(demands[..members.Length], Array.IndexOf(members, this), most);
        }

        /// <summary>Removes the pool.</summary>
        public void Leave()
        {
            lock (budget._registry)
            {
                Volatile.Write(ref budget._members, [.. budget._members.Where(other => !ReferenceEquals(other, this))]);
            }
        }
    }
}
