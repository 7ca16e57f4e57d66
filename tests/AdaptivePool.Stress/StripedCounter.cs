using System.Runtime.InteropServices;

namespace AdaptivePool.Stress;

/// <summary>A counter that many threads add to.</summary>
internal sealed class StripedCounter
{
    private const int Stripes = 16;
    private readonly Stripe[] _stripes = new Stripe[Stripes];

    public long Value
    {
        get
        {
            long sum = 0;
            foreach (ref Stripe stripe in _stripes.AsSpan())
            {
                sum += Volatile.Read(ref stripe.Count);
            }

            return sum;
        }
    }

    public void Add(long count = 1) => Interlocked.Add(ref _stripes[Environment.CurrentManagedThreadId & (Stripes - 1)].Count, count);

    [StructLayout(LayoutKind.Sequential, Size = 128)]
    private struct Stripe
    {
        public long Count;
    }
}
