using System.Globalization;
using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.ModelChecking.Generated;

/// <summary>
/// A program over the sleep protocol made of bytes: two workers, and two threads that queue work of two classes and in flight, change the limit, and end one
/// worker.
/// </summary>
internal static class WakeProgram
{
    public static ModelProgram Create(byte[] operations, byte setting)
    {
        var pool = new ModelPool(workers: 2, limit: 1 + (setting % 2), inFlightLimit: 1);
        _ = pool.Other;
        List<string> items = [];
        List<Action>[] threads = [[], []];
        bool mayRetire = true;
        foreach (byte operation in operations)
        {
            List<Action> own = threads[operation / 8 % 2];
            switch (operation % 8)
            {
                case 4:
                    own.Add(() => pool.Resize(2));
                    break;
                case 5:
                    own.Add(() => pool.Resize(1));
                    break;
                case 7 when mayRetire:
                    // One at most: somebody must be left to do the work.
                    mayRetire = false;
                    own.Add(() => pool.Set.Retire(1));
                    break;
                default:
                    string item = items.Count.ToString(CultureInfo.InvariantCulture);
                    items.Add(item);
                    own.Add((operation % 8) switch
                    {
                        2 => () => pool.QueueInFlight(item),
                        6 => () => pool.Set.QueueRoot(pool.Other, pool.Item(item), RootPlace.Normal),
                        _ => () => pool.QueueRoot(item),
                    });
                    break;
            }
        }

        bool startsAsleep = setting / 2 % 2 == 0;
        return new ModelProgram(
            [.. threads.Select<List<Action>, Action>(static own => () => own.ForEach(static operation => operation()))],
            () => pool.RequireDone([.. items]),
            pool.Dismiss)
        {
            OnRest = startsAsleep ? static () => { } : null,
        };
    }
}
