using System.Globalization;
using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.ModelChecking.Generated;

/// <summary>A program over the sleep protocol made of bytes: two workers, and two threads that queue work, change the limit, take and give back slots in passing, and end one worker.</summary>
internal static class WakeProgram
{
    public static ModelProgram Create(byte[] operations, byte setting)
    {
        var workers = new ModelWorkers(workers: 2, limit: 1 + (setting % 2));
        bool startsAsleep = setting / 2 % 2 == 0;
        if (startsAsleep)
        {
            workers.LieDownAll();
        }

        List<string> items = [];
        List<Action>[] threads = [[], []];
        bool mayRetire = true;
        foreach (byte operation in operations)
        {
            List<Action> own = threads[operation / 8 % 2];
            switch (operation % 8)
            {
                case 4:
                    own.Add(() => workers.Raise(2));
                    break;
                case 5:
                    own.Add(() => workers.Raise(1));
                    break;
                case 6:
                    own.Add(workers.PassThrough);
                    break;
                case 7 when mayRetire:
                    // One at most: somebody must be left to do the work.
                    mayRetire = false;
                    own.Add(() => workers.Retire(1));
                    break;
                default:
                    string item = items.Count.ToString(CultureInfo.InvariantCulture);
                    items.Add(item);
                    own.Add(() => workers.QueueRoot(item));
                    break;
            }
        }

        return new ModelProgram(
            [
                () => workers.Work(0, startsAsleep),
                () => workers.Work(1, startsAsleep),
                .. threads.Select<List<Action>, Action>(static own => () => own.ForEach(static operation => operation())),
            ],
            () => workers.RequireRun([.. items]),
            workers.Dismiss);
    }
}
