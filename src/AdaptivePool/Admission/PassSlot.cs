namespace AdaptivePool.Admission;

/// <summary>
/// Remembers whether a pass was given back: its copies name the turn they belong to, and a slot in its next turn knows them no more. Slots belong to a thread, as passes do, and are used again.
/// </summary>
internal sealed class PassSlot
{
    [ThreadStatic]
    private static PassSlot? t_free;

    private TransactionGate? _gate;
    private PassSlot? _next;
    private uint _turn;

    public static TransactionPass Begin(TransactionGate gate)
    {
        PassSlot? slot = t_free;
        if (slot is null)
        {
            slot = new PassSlot();
        }
        else
        {
            t_free = slot._next;
        }

        slot._gate = gate;
        return new TransactionPass(slot, slot._turn);
    }

    public void End(uint turn)
    {
        if (turn == _turn)
        {
            _turn++;
            TransactionGate gate = _gate!;
            _gate = null;
            _next = t_free;
            t_free = this;
            gate.EndPass();
        }
    }
}
