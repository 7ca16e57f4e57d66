using System.Collections.Concurrent;
using AdaptivePool.Dispatch;
using AdaptivePool.Tests.ModelChecking;
using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.PeerBugs;

/// <summary>
/// An item could stay in the queue for good in .NET 9 and 10.0.0: the worker looked at the queue before it took back the request that had woken it, so an item
/// queued in between relied on a request that was as good as over. Cured by clearing the flag first and looking then. https://github.com/dotnet/runtime/pull/121887 (also issues 119043 and 121608).
/// </summary>
public sealed class RuntimeHandshakeTests : PeerBugTest
{
    [Fact]
    public void LookThenClear_LosesAnItem_ClearThenLookDoesNot() => RequireFoundAndCured(Handshake);

    [Fact]
    public void OurProtocol_TwoProducersAndAWorkerOnItsWay_LosesNone() => RequireRight("wake: two producers, one worker");

    private static ModelProgram Handshake(bool isRight)
    {
        ConcurrentQueue<object> queue = new();
        Cell requested = new();
        var parking = new WordParking<ModelSync>();
        var ledger = new Ledger();
        bool ends = false;
        void Work()
        {
            while (true)
            {
                parking.Park();
                if (ends)
                {
                    return;
                }

                if (isRight)
                {
                    ModelSync.Exchange(ref requested.Value, 0, string.Empty, 1);
                }

                while (ModelSync.TryDequeue(queue, out object? item, string.Empty, 2))
                {
                    ledger.Note(0, item);
                }

                if (!isRight)
                {
                    ModelSync.Exchange(ref requested.Value, 0, string.Empty, 3);
                }
            }
        }

        void Queue(string item)
        {
            ModelSync.Enqueue(queue, item, string.Empty, 4);
            if (ModelSync.Exchange(ref requested.Value, 1, string.Empty, 5) == 0)
            {
                parking.Unpark();
            }
        }

        return new ModelProgram(
            [Work, () => Queue("a"), () => Queue("b")],
            () => ledger.RequireAll(["a", "b"], []),
            () =>
            {
                ends = true;
                parking.Unpark();
            });
    }
}
