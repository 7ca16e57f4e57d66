using AdaptivePool.Admission;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>Tickets of one transaction, for whose items several threads ask at once.</summary>
internal static class TicketPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("tickets: two, and three items at once", ThreeAtOnce, Bounds.Default),
    ];

    // Of any three in a row one finds none, and brings both back.
    private static ModelProgram ThreeAtOnce()
    {
        var hold = new LeaseHold<ModelSync>(0, gate: null);
        hold.TryClaim(out long turn);
        int[] taken = new int[3];
        void Take(int thread) => taken[thread] = hold.TakesTicket(turn, tickets: 2) ? 1 : 0;
        return new ModelProgram(
            [() => Take(0), () => Take(1), () => Take(2)],
            () => ModelFailureException.Require(taken.Sum() == 2 && hold.TakesTicket(turn, tickets: 1) && !hold.TakesTicket(turn, tickets: 1),
                "a ticket was taken twice, or is lost"));
    }
}
