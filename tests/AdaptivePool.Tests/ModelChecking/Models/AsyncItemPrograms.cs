using AdaptivePool.Admission;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The start of an asynchronous function against its cancellation and its refusal: one of them has it, and its caller is told once.</summary>
internal static class AsyncItemPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("item: it starts while it is cancelled", static () => Race(static item => item.Execute()), Bounds.Default),
        new("item: it is refused while it is cancelled", static () => Race(static item => item.Refuse(Refusal())), Bounds.Default),
        new("item: it is made while it is cancelled", Made, Bounds.Default),
    ];

    private static ModelProgram Race(Action<ModelAsyncItem> begin)
    {
        var source = new CancellationTokenSource();
        ModelAsyncItem item = Item(source);
        return new ModelProgram([() => begin(item), () => Cancel(source, new Cell())], item.RequireOneEnd);
    }

    // The cancellation may come before the item knows of it, and before its start.
    private static ModelProgram Made()
    {
        var source = new CancellationTokenSource();
        Cell made = new();
        ModelAsyncItem? item = null;
        return new ModelProgram(
            [
                () =>
                {
                    item = Item(source);
                    ModelSync.VolatileWrite(ref made.Value, 1, string.Empty, 1);
                    item.Execute();
                },
                () => Cancel(source, new Cell()),
            ],
            () => item!.RequireOneEnd());
    }

    private static ModelAsyncItem Item(CancellationTokenSource source) => new(static () => Task.CompletedTask, end: null, source.Token);

    // A step of its own: the source is the runtime's, and what it does until it calls the item is one step.
    private static void Cancel(CancellationTokenSource source, Cell step)
    {
        ModelSync.VolatileWrite(ref step.Value, 1, string.Empty, 2);

        // A run that is over unwinds through the source.
        source.Cancel(throwOnFirstException: true);
    }

    private static WorkRefusedException Refusal() => new("full", RefusalReason.QueueFull, TimeSpan.Zero);
}
