using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The protocol of kept connections: none handed out twice, none lost, one opened at a time, nobody who waits forgotten.</summary>
internal static class ShelfPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("shelf: the one used last first", NewestFirst, Bounds.Long),
        new("shelf: three uses, room for one", RoomForOne, Bounds.Longest),
        new("shelf: opened one after another", OneAfterAnother, Bounds.Longest),
        new("shelf: one comes back while one gives up", GivenUp, Bounds.Long),
        new("shelf: one turn to open while its owner gives up", TurnGivenUp, Bounds.Long),
        new("shelf: an opening fails while others wait", Failed, Bounds.Longest),
        new("shelf: an opening is cancelled while others wait", Cancelled, Bounds.Longest),
        new("shelf: a broken one makes room", Broken, Bounds.Long),
        new("shelf: one expires while it is taken", Expired, Bounds.Long),
        new("shelf: closed while one comes back", ClosedAndReturned, Bounds.Long),
        new("shelf: closed while one opens", ClosedAndOpened, Bounds.Longest),
        new("shelf: the thread lets one open past the limit", PastTheLimit, Bounds.Longest),
    ];

    private static ModelProgram NewestFirst()
    {
        var shelf = new ModelShelf(3);
        ModelConnection oldest = shelf.InUse(), newer = shelf.InUse(), newest = shelf.InUse();
        shelf.Return(oldest);
        shelf.Return(newer);
        ModelConnection? taken = null;
        return new ModelProgram(
            [() => taken = shelf.Rent(), () => shelf.Return(newest)],
            () =>
            {
                shelf.Check();
                ModelFailureException.Require(ReferenceEquals(taken, newest) || ReferenceEquals(taken, newer), "a newer one lay on top");
            });
    }

    private static ModelProgram RoomForOne()
    {
        var shelf = new ModelShelf(1);
        return new ModelProgram([shelf.Use, shelf.Use, shelf.Use], () => CheckOpened(shelf, atMost: 1), shelf.Dismiss);
    }

    private static ModelProgram OneAfterAnother()
    {
        var shelf = new ModelShelf(0);
        return new ModelProgram([shelf.Use, shelf.Use, shelf.Use], () => CheckOpened(shelf, atMost: 3), shelf.Dismiss);
    }

    private static ModelProgram GivenUp()
    {
        var shelf = new ModelShelf(1);
        ModelConnection connection = shelf.InUse();
        ConnectionWaiter<ModelConnection> first = shelf.Waiting();
        return new ModelProgram([() => shelf.Return(connection), () => shelf.Return(shelf.GiveUp(first)), shelf.Use], () => CheckOpened(shelf, atMost: 1),
            shelf.Dismiss);
    }

    // The turn is given by the end of another opening.
    private static ModelProgram TurnGivenUp()
    {
        var shelf = new ModelShelf(0, new OperationCanceledException());
        shelf.Core.Take();
        ConnectionWaiter<ModelConnection> first = shelf.Waiting(), second = shelf.Waiting();
        return new ModelProgram(
            [() => shelf.Core.EndTurn(wasOpened: false, failure: null), () => shelf.Return(shelf.GiveUp(first)), () => shelf.Return(shelf.GiveUp(second))],
            shelf.CheckAllServed,
            shelf.Dismiss);
    }

    // Who waits behind the failure meets it; who comes later tries again.
    private static ModelProgram Failed()
    {
        var refused = new InvalidOperationException("refused");
        var shelf = new ModelShelf(1, refused);
        shelf.Core.Take();
        ConnectionWaiter<ModelConnection> first = shelf.Waiting();
        return new ModelProgram(
            [() => shelf.Core.EndTurn(wasOpened: false, shelf.Failures.Dequeue()), shelf.Use, shelf.Use],
            () =>
            {
                shelf.CheckAllServed();
                ModelFailureException.Require(ReferenceEquals(first.Task.Exception?.InnerException, refused), "who waited was not told of the failure");
            },
            shelf.Dismiss);
    }

    private static ModelProgram Cancelled()
    {
        var shelf = new ModelShelf(1, new OperationCanceledException());
        int served = 0;
        void Use()
        {
            if (shelf.Rent() is { } connection)
            {
                served++;
                shelf.Return(connection);
            }
        }

        return new ModelProgram(
            [Use, Use, Use],
            () =>
            {
                CheckOpened(shelf, atMost: 1);
                ModelFailureException.Require(served == 2, $"one user cancelled its own opening, and {served} of the other two got a connection");
            },
            shelf.Dismiss);
    }

    // Nobody gives anything back here, and no thread looks: only whoever throws the broken one away can tell the one that waits.
    private static ModelProgram Broken()
    {
        var shelf = new ModelShelf(1);
        ModelConnection broken = shelf.InUse();
        return new ModelProgram([() => shelf.Return(broken, isClean: false), () => shelf.Rent(), () => shelf.Rent()], shelf.Check, shelf.Dismiss);
    }

    private static ModelProgram Expired()
    {
        var shelf = new ModelShelf(1);
        shelf.Return(shelf.InUse());
        shelf.Clock.Advance(ModelShelf.IdleTimeout);
        return new ModelProgram([() => shelf.Look(), shelf.Use, shelf.Use], shelf.CheckAllServed, shelf.Dismiss);
    }

    private static ModelProgram ClosedAndReturned()
    {
        var shelf = new ModelShelf(2);
        ModelConnection returned = shelf.InUse(), idle = shelf.InUse();
        shelf.Return(idle);
        return new ModelProgram([shelf.Close, () => shelf.Return(returned), shelf.Use], () => CheckClosed(shelf), shelf.Dismiss);
    }

    private static ModelProgram ClosedAndOpened()
    {
        var shelf = new ModelShelf(1);
        return new ModelProgram([shelf.Close, shelf.Use, shelf.Use], () => CheckClosed(shelf), shelf.Dismiss);
    }

    // The only one is held for good by somebody who needs no permit for it.
    private static ModelProgram PastTheLimit()
    {
        var shelf = new ModelShelf(1);
        shelf.InUse();
        var rented = new ModelConnection?[2];
        shelf.Core.Monitor = new TimerThread<ModelSync>(
            "shelf",
            () =>
            {
                shelf.Clock.Advance(ShelfCore<ModelSync, ModelConnection>.Grace);
                shelf.MayExceed = true;
                return shelf.Look();
            });
        return new ModelProgram(
            [() => rented[0] = shelf.Rent(), () => rented[1] = shelf.Rent()],
            () =>
            {
                shelf.Check();
                ModelFailureException.Require(!rented.Contains(null), "somebody waits for one that does not come back");
            },
            shelf.Dismiss);
    }

    private static void CheckOpened(ModelShelf shelf, int atMost)
    {
        shelf.CheckAllServed();
        ModelFailureException.Require(shelf.Core.Snapshot is { Discarded: 0 } found && found.Opened <= atMost && found.Opened == found.Idle,
            "more were opened than the limit needs");
    }

    private static void CheckClosed(ModelShelf shelf)
    {
        shelf.CheckAllServed();
        ModelFailureException.Require(shelf.Core.Snapshot is { Open: 0, Idle: 0 }, "a closed shelf keeps a connection");
    }
}
