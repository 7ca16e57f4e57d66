using AdaptivePool.Tests.ModelChecking;

namespace AdaptivePool.Tests.PeerBugs;

/// <summary>
/// The deque of the runtime's pool: a thief announces its claim by writing the head and then reads the tail. Without a full fence in between, owner and thief can both take the last item. https://github.com/dotnet/runtime/pull/128606.
/// </summary>
public sealed class RuntimeStealFenceTests : PeerBugTest
{
    [Fact]
    public void ClaimWithoutFence_TakesAnItemTwice() => RequireFoundAndCured(Steal);

    [Fact]
    public void OurDeque_WithoutTheFenceOfTheThief_IsFound()
        => RequireFoundInOurs("deque: push after a pop", "TrySteal", OperationKind.Fence, Weakening.Removed);

    private static ModelProgram Steal(bool isRight)
    {
        Cell head = new(), tail = new(1), byOwner = new(), byThief = new();
        object gate = new();
        void Pop()
        {
            ModelSync.Exchange(ref tail.Value, 0, string.Empty, 1);
            if (ModelSync.VolatileRead(ref head.Value, string.Empty, 2) <= 0)
            {
                byOwner.Value = 1;
                return;
            }

            // A thief may be there: decided under the lock.
            ModelSync.Enter(gate, string.Empty, 3);
            if (ModelSync.VolatileRead(ref head.Value, string.Empty, 4) <= 0)
            {
                byOwner.Value = 1;
            }

            ModelSync.Exit(gate, string.Empty, 5);
        }

        void TakeOldest()
        {
            ModelSync.Enter(gate, string.Empty, 6);
            if (isRight)
            {
                ModelSync.Exchange(ref head.Value, 1, string.Empty, 7);
            }
            else
            {
                ModelSync.VolatileWrite(ref head.Value, 1, string.Empty, 8);
            }

            if (ModelSync.VolatileRead(ref tail.Value, string.Empty, 9) > 0)
            {
                byThief.Value = 1;
            }
            else
            {
                ModelSync.VolatileWrite(ref head.Value, 0, string.Empty, 10);
            }

            ModelSync.Exit(gate, string.Empty, 11);
        }

        return new ModelProgram([Pop, TakeOldest], ()
            => ModelFailureException.Require(byOwner.Value + byThief.Value == 1, "the last item was taken twice or never"));
    }
}
