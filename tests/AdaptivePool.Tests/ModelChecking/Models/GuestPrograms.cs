using AdaptivePool.Guests;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>Guests on threads of the runtime's pool and the thread that watches them: it never sleeps beside one that runs, and blames nobody else.</summary>
internal static class GuestPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("guest: begins while the watch falls asleep", static () => Begins(guests: 1), Bounds.Default),
        new("guest: two begin while the watch falls asleep", static () => Begins(guests: 2), Bounds.Whole),
        new("guest: one ends and the next runs on while the watch falls asleep", Follows, Bounds.Whole),
        new("guest: the watch asks whose it is while the next begins", Asks, Bounds.Default),
        new("guest: one begins inside another", Nested, Bounds.Default),
    ];

    // Each runs for ever: the watch has to see all of them.
    private static ModelProgram Begins(int guests)
    {
        GuestMark<ModelSync>[] marks = [.. Enumerable.Range(0, guests).Select(static _ => new GuestMark<ModelSync>())];
        var doze = new Doze<ModelSync>(() => Array.Exists(marks, static it => it.IsRunning));
        return new ModelProgram(
            [
                () =>
                {
                    while (!Array.TrueForAll(marks, static it => it.IsRunning))
                    {
                        // Beside one that runs already it goes on looking, which here is waiting for the others.
                        if (!doze.Sleep())
                        {
                            doze.Pause(TimeSpan.FromMilliseconds(5));
                        }
                    }
                },
                .. marks.Select(mark => (Action)(() =>
                {
                    mark.Enter(mark);
                    doze.WakeUp();
                })),
            ],
            static () => { });
    }

    private static ModelProgram Follows()
    {
        var mark = new GuestMark<ModelSync>();
        var doze = new Doze<ModelSync>(() => mark.IsRunning);
        return new ModelProgram(
            [
                () =>
                {
                    while (mark.Sequence != 3)
                    {
                        if (!doze.Sleep())
                        {
                            doze.Pause(TimeSpan.FromMilliseconds(5));
                        }
                    }
                },
                () =>
                {
                    object? outer = mark.Enter("first");
                    doze.WakeUp();
                    mark.Leave(outer);
                    mark.Enter("second");
                    doze.WakeUp();
                },
            ],
            static () => { });
    }

    private static ModelProgram Asks()
    {
        var mark = new GuestMark<ModelSync>();
        return new ModelProgram(
            [
                () =>
                {
                    int sequence = mark.Sequence;
                    if ((sequence & 1) != 0 && mark.OwnerOf(sequence) is { } owner)
                    {
                        ModelFailureException.Require(Equals(owner, sequence == 1 ? "first" : "second"), $"guest {sequence} is not of the {owner}");
                    }
                },
                () =>
                {
                    object? outer = mark.Enter("first");
                    mark.Leave(outer);
                    outer = mark.Enter("second");
                    mark.Leave(outer);
                },
            ],
            static () => { });
    }

    private static ModelProgram Nested()
    {
        var mark = new GuestMark<ModelSync>();
        return new ModelProgram(
            [
                () =>
                {
                    if (mark.OwnerOf(1) is { } owner)
                    {
                        ModelFailureException.Require(owner is "outer" or "inner", $"nobody knows {owner}");
                    }
                },
                () =>
                {
                    object? none = mark.Enter("outer");
                    object? outer = mark.Enter("inner");
                    ModelFailureException.Require(none is null && outer is "outer", "the outer one is not known");
                    mark.Leave(outer);
                    ModelFailureException.Require(mark.OwnerOf(1) is "outer", "the outer one runs on");
                    mark.Leave(none);
                    ModelFailureException.Require(!mark.IsRunning, "both have run");
                },
            ],
            static () => { });
    }
}
