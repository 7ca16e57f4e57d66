using System.Diagnostics.CodeAnalysis;
using System.IO.Pipes;
using System.Runtime.InteropServices;
using AdaptivePool.Blocking;
using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;
using AdaptivePool.Sensing;
using Microsoft.Win32.SafeHandles;

namespace AdaptivePool.Tests.Blocking;

/// <summary>Looks at workers that block in the kernel, which only its files tell: each look reads few of them.</summary>
public sealed class WorkerReadingsTests : PoolTest
{
    /// <summary>Of one look: for each worker one that says whether it sleeps, and one more that says in what, once.</summary>
    private const int MostFiles = 8;

    /// <summary>Long enough that every worker is measured again.</summary>
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(2 * WorkerClassRule.LeastSeconds);

    [Fact]
    public void Look_MoreWorkersInTheKernelThanFilesAreRead_EachHasItsTurn()
    {
        if (!ThreadProbe.IsSupported)
        {
            return;
        }

        const int Workers = 3 * MostFiles;
        AdaptiveThreadPool pool = CreateFixedPool(Workers);
        using var reads = new PipeReads(pool);
        reads.Start(Workers);
        var readings = new WorkerReadings(pool.Set);
        Eventually.Be(() => Look(readings) == Workers, "a look begins where the files of the one before were used up");
    }

    [Fact]
    public void Look_FilesAreUsedUpBetweenTheStateAndTheName_ReadsNoneBeyondThem()
    {
        if (!ThreadProbe.IsSupported)
        {
            return;
        }

        // Collections of other tests are no time between two looks, and the last one may leave to the next what it should measure.
        Eventually.Be(LooksBeyondTheFiles, "a run with few collections");
    }

    private bool LooksBeyondTheFiles()
    {
        const int Known = MostFiles - 3;
        AdaptiveThreadPool pool = CreateFixedPool(MostFiles);
        using var reads = new PipeReads(pool);
        var readings = new WorkerReadings(pool.Set);
        TimeSpan collected = default;
        for (int i = 1; i <= Known; i++)
        {
            reads.Start(1);
            Eventually.Be(
                () =>
                {
                    collected = GC.GetTotalPauseDuration();
                    return Look(readings) == i;
                },
                "one at a time uses up no look");
        }

        bool[] known = readings.Look(static all => all.Select(static it => it.Unnamed is not null).ToArray());
        reads.Start(2);
        int last = Array.FindLastIndex(pool.Set.Workers, static it => it is not null && (it.Sequence & 1) != 0);
        bool isLastKnown = last < known.Length && known[last];

        // A file for each of the known, two for one of the others. What is left is one: enough for a worker that is known, and half of what the other needs.
        int seen = Look(readings);
        bool isSure = GC.GetTotalPauseDuration() - collected < s_pause / 4;
        if (isSure)
        {
            seen.ShouldBe(Known + (isLastKnown ? 2 : 1));
        }

        Eventually.Be(() => Look(readings) == Known + 2, "the next look names it");
        return isSure;
    }

    /// <summary>
    /// The runtime holds threads in a futex for a collection, which they leave one after the other. On full cores workers that only compute were said to block.
    /// </summary>
    [Fact]
    public unsafe void Look_SleepsInAFutexAfterACollection_BlocksOnceItStandsStill()
    {
        if (!ThreadProbe.IsSupported || !NativeMethods.HasFutex)
        {
            return;
        }

        AdaptiveThreadPool pool = CreateFixedPool(1);
        int* word = (int*)NativeMemory.AllocZeroed(sizeof(int));

        // On its way there it may sleep elsewhere: for its code to be compiled, for a page of memory, for a collection of another test.
        NativeMethods.FutexWait(word, 1);
        using var isOnItsWay = new ManualResetEventSlim();
        Task item = pool.Run(() =>
        {
            isOnItsWay.Set();
            while (Volatile.Read(ref *word) == 0)
            {
                NativeMethods.FutexWait(word, 0);
            }
        });
        try
        {
            Eventually.Be(() => isOnItsWay.IsSet && pool.Set.Workers.Any(SleepsInAFutex), "it sleeps");
            var readings = new WorkerReadings(pool.Set);
            int blocked = 0;
            Eventually.Be(
                () =>
                {
                    GC.Collect(0);
                    return readings.Look(all =>
                    {
                        blocked = all.Count(static it => it.IsBlocked);
                        return all.Any(static it => !double.IsNaN(it.Time.At));
                    });
                },
                "it is measured");
            blocked.ShouldBe(0, "what it did before is not known");
            Eventually.Be(() => Look(readings) == 1, "nobody holds it");
        }
        finally
        {
            Volatile.Write(ref *word, 1);
            NativeMethods.FutexWake(word);
        }

        Eventually.End(item);
        NativeMemory.Free(word);
    }

    [Fact]
    public void Look_NextItemOfTheSameWorker_IsSeenAsAnother()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        var readings = new WorkerReadings(pool.Set);
        (long Sequence, double Since) Seen()
            => readings.Look(static all => all.Where(static it => it.Worker is not null).Select(static it => (it.Sequence, it.Since)).Single());
        (long Sequence, double Since) before = (0, -1);
        for (int i = 0; i < 3; i++)
        {
            (long Sequence, double Since) seen = Eventually.Result(pool.Run(Seen));
            seen.Sequence.ShouldBeGreaterThan(before.Sequence);
            seen.Since.ShouldBeGreaterThan(before.Since, "what it did before is over");
            before = seen;
        }
    }

    /// <summary>A collection stops every thread: what a worker did not compute meanwhile says nothing about it.</summary>
    [Fact]
    public void Look_TimeSinceTheLastWasACollection_DoesNotMeasure()
    {
        if (!ThreadProbe.IsSupported)
        {
            return;
        }

        AdaptiveThreadPool pool = CreateFixedPool(1);
        using var reads = new PipeReads(pool);
        reads.Start(1);
        var readings = new WorkerReadings(pool.Set);
        Eventually.Be(
            () =>
            {
                if (Look(readings) != 1)
                {
                    return false;
                }

                WorkerReading reading = readings.Look(static all => all.Single(static it => it.Unnamed is not null));
                (double measuredAt, double pausesAt) = (reading.Time.At, reading.Time.Collected);
                while (QueueAges<RealSync>.Now - measuredAt <= WorkerClassRule.LeastSeconds)
                {
                    GC.Collect();
                }

                double pauses = GC.GetTotalPauseDuration().TotalSeconds - pausesAt;
                readings.Look(static _ => 0);
                if (QueueAges<RealSync>.Now - measuredAt - pauses >= WorkerClassRule.LeastSeconds)
                {
                    return false;
                }

                reading.Time.At.ShouldBe(measuredAt);
                return true;
            },
            "most of the time between two looks was collections");
    }

    /// <summary>Looks once, when all may be measured again.</summary>
    /// <returns>How many workers are known to block, and in what.</returns>
    private static int Look(WorkerReadings readings)
    {
        using var pause = new ManualResetEventSlim();
        pause.Wait(s_pause);
        return readings.Look(static all => all.Count(static it => it is { State: WorkerState.BlockedKernel, Unnamed: not null }));
    }

    private static bool SleepsInAFutex(Worker? worker) => Sleeps(worker) && ThreadProbe.MayBeHeld(ThreadProbe.SystemCall(worker.ThreadId));

    // On its way there it may have slept elsewhere.
    private static bool SleepsInARead(Worker? worker) => Sleeps(worker) && !ThreadProbe.MayBeHeld(ThreadProbe.SystemCall(worker.ThreadId));

    private static bool Sleeps([NotNullWhen(true)] Worker? worker) =>
        worker is not null && (worker.Sequence & 1) != 0 && ThreadProbe.State(worker.ThreadId) == 'S';

    /// <summary>Items that read from an empty pipe until the end.</summary>
    private sealed class PipeReads(AdaptiveThreadPool pool) : IDisposable
    {
        private readonly AnonymousPipeServerStream _pipe = new(PipeDirection.Out);
        private readonly List<Task> _items = [];

        /// <summary>Starts items and waits until they sleep.</summary>
        public void Start(int count)
        {
            var end = new SafeFileHandle(_pipe.ClientSafePipeHandle.DangerousGetHandle(), ownsHandle: false);
            for (int i = 0; i < count; i++)
            {
                _items.Add(pool.Run(() => new FileStream(end, FileAccess.Read, bufferSize: 0).ReadByte()));
            }

            Eventually.Be(() => pool.Set.Workers.Count(SleepsInARead) == _items.Count, "all of them read");
        }

        public void Dispose()
        {
            _pipe.Write(new byte[_items.Count]);
            _items.ForEach(static item => Eventually.End(item));
            _pipe.Dispose();
        }
    }
}
