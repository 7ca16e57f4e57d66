namespace AdaptivePool.Tests.ModelChecking;

/// <summary>Small programs whose outcomes are known: they show what the memory of the checker can and cannot do.</summary>
internal static class Litmus
{
    /// <summary>Two threads write their own cell and read the other's. With a fence between, at least one sees the other.</summary>
    public static ModelProgram StoreBuffering(bool fences)
    {
        Cell x = new(), y = new();
        int seenByFirst = -1, seenBySecond = -1;
        return new ModelProgram(
            [() => seenByFirst = WriteAndRead(x, y, fences), () => seenBySecond = WriteAndRead(y, x, fences)],
            () => ModelFailureException.Require(seenByFirst + seenBySecond > 0, "neither saw the other"));
    }

    /// <summary>A flag announces data. With release and acquire whoever sees the flag sees the data.</summary>
    public static ModelProgram MessagePassing(bool release, bool acquire)
    {
        Cell data = new(), flag = new();
        int seen = 1;
        return new ModelProgram(
            [
                () =>
                {
                    ModelSync.Write(ref data.Value, 1, string.Empty, 1);
                    Store(flag, 1, release);
                },
                () =>
                {
                    if (Load(flag, acquire) == 1)
                    {
                        seen = ModelSync.Read(ref data.Value, string.Empty, 2);
                    }
                },
            ],
            () => ModelFailureException.Require(seen == 1, "the flag without the data"));
    }

    /// <summary>Two threads read one cell and write the other. Without acquire both may read what the other writes afterwards.</summary>
    public static ModelProgram LoadBuffering(bool acquire)
    {
        Cell x = new(), y = new();
        int first = 0, second = 0;
        return new ModelProgram(
            [() => first = ReadAndWrite(x, y, acquire), () => second = ReadAndWrite(y, x, acquire)],
            () => ModelFailureException.Require(first + second < 2, "both read what was written after"));
    }

    /// <summary>A reader sees one cell's writes in their order, whatever their strength.</summary>
    public static ModelProgram Coherence()
    {
        Cell x = new();
        int first = 0, second = 0;
        return new ModelProgram(
            [
                () =>
                {
                    ModelSync.Write(ref x.Value, 1, string.Empty, 1);
                    ModelSync.Write(ref x.Value, 2, string.Empty, 2);
                },
                () =>
                {
                    first = ModelSync.Read(ref x.Value, string.Empty, 3);
                    second = ModelSync.Read(ref x.Value, string.Empty, 4);
                },
            ],
            () => ModelFailureException.Require(first <= second, "went back"));
    }

    /// <summary>Two threads write two cells in opposite order. Without release both cells may end with the first write of the other thread.</summary>
    public static ModelProgram TwoWrites(bool fences)
    {
        Cell x = new(), y = new();
        return new ModelProgram(
            [() => WriteBoth(x, y, fences), () => WriteBoth(y, x, fences)],
            () => ModelFailureException.Require(x.Value != 1 || y.Value != 1, "both first writes came last"));
    }

    /// <summary>Two threads count.</summary>
    public static ModelProgram Counting(bool atomic)
    {
        Cell x = new();
        void Count()
        {
            if (atomic)
            {
                ModelSync.Increment(ref x.Value, string.Empty, 1);
            }
            else
            {
                int before = ModelSync.VolatileRead(ref x.Value, string.Empty, 2);
                ModelSync.VolatileWrite(ref x.Value, before + 1, string.Empty, 3);
            }
        }

        return new ModelProgram([Count, Count], () => ModelFailureException.Require(x.Value == 2, "lost an addition"));
    }

    private static int WriteAndRead(Cell own, Cell other, bool fence)
    {
        ModelSync.VolatileWrite(ref own.Value, 1, string.Empty, 1);
        if (fence)
        {
            ModelSync.Fence(string.Empty, 2);
        }

        return ModelSync.VolatileRead(ref other.Value, string.Empty, 3);
    }

    private static int ReadAndWrite(Cell from, Cell to, bool acquire)
    {
        int seen = acquire ? ModelSync.VolatileRead(ref from.Value, string.Empty, 1) : ModelSync.Read(ref from.Value, string.Empty, 2);
        ModelSync.Write(ref to.Value, 1, string.Empty, 3);
        return seen;
    }

    private static void WriteBoth(Cell first, Cell second, bool fence)
    {
        ModelSync.Write(ref first.Value, 1, string.Empty, 1);
        if (fence)
        {
            ModelSync.Fence(string.Empty, 2);
        }

        ModelSync.Write(ref second.Value, 2, string.Empty, 3);
    }

    private static void Store(Cell cell, int value, bool release)
    {
        if (release)
        {
            ModelSync.VolatileWrite(ref cell.Value, value, string.Empty, 11);
        }
        else
        {
            ModelSync.Write(ref cell.Value, value, string.Empty, 12);
        }
    }

    private static int Load(Cell cell, bool acquire) =>
        acquire ? ModelSync.VolatileRead(ref cell.Value, string.Empty, 13) : ModelSync.RelaxedRead(ref cell.Value, string.Empty, 14);
}
