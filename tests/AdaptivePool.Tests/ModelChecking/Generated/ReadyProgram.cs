using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.ModelChecking.Generated;

/// <summary>
/// A program over the set of those that have work, made of bytes: three threads at which work of four numbers in two words arrives, ends and is looked for, and
/// one of which goes to sleep.
/// </summary>
internal static class ReadyProgram
{
    private static readonly int[] s_numbers = [0, 1, 64, 65];

    public static ModelProgram Create(byte[] operations, byte setting)
    {
        var set = new ModelReadySet(capacity: 128);
        for (int i = 0; i < s_numbers.Length; i++)
        {
            // Some are known at the start and have nothing.
            if (((setting >> i) & 1) != 0)
            {
                set.Note(s_numbers[i]);
            }
        }

        List<Action>[] threads = [[], [], []];
        foreach (byte operation in operations)
        {
            int number = s_numbers[operation / 8 % 4];
            threads[operation / 32 % 2].Add((operation % 8) switch
            {
                < 4 => () => set.Arrive(number),
                4 => () => set.End(number),
                _ => set.Look,
            });
        }

        // Last, so that it needs all that it can be told.
        threads[2].Add(set.Sleep);
        return new ModelProgram([.. threads.Select<List<Action>, Action>(static own => () => own.ForEach(static operation => operation()))], set.Require);
    }
}
