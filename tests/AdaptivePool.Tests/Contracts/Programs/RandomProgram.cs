namespace AdaptivePool.Tests.Contracts.Programs;

/// <summary>
/// A program made by chance: a tree of parts, each of which runs its children in its own way. What it gives follows from the tree alone, whatever runs it: the
/// sum of its leaves, or the exception of the first of its parts that throws.
/// </summary>
internal sealed class RandomProgram
{
    private const int MostParts = 40;
    private const int MostDepth = 5;
    private const int MostChildren = 3;

    private RandomProgram(ProgramPart? part, int number, RandomProgram[] children) => (Part, Number, Children) = (part, number, children);

    /// <summary>How it runs its children; <see langword="null"/> for a leaf.</summary>
    public ProgramPart? Part { get; }

    /// <summary>What a leaf gives, or throws; to others it chooses between ways that must make no difference.</summary>
    public int Number { get; }

    public RandomProgram[] Children { get; }

    private bool Throws => Part is null && Number % 17 == 0;

    public static RandomProgram Make(Random random, ProgramPart[] parts)
    {
        int left = MostParts;
        return Make(random, parts, depth: 0, ref left);
    }

    /// <summary>Runs it.</summary>
    public async Task<int> Run(ProgramHost host) => Part is { } part ? await part.Run(host, this) : await RunLeaf();

    /// <summary>Runs it; what it throws is a part of the result.</summary>
    public async Task<(int Sum, int? Thrown)> Try(ProgramHost host)
    {
        try
        {
            return (await Run(host), null);
        }
        catch (ProgramException exception)
        {
            return (0, exception.Number);
        }
    }

    /// <summary>What it is to give.</summary>
    public (int Sum, int? Thrown) Expected() => Part is null
        ? Throws ? (0, Number) : (Number, null)
        : Together([.. Children.Select(static child => child.Expected())]);

    /// <summary>What parts give together.</summary>
    public static (int Sum, int? Thrown) Together((int Sum, int? Thrown)[] all)
    {
        int? thrown = Array.Find(all, static it => it.Thrown is not null).Thrown;
        return (thrown is null ? all.Sum(static it => it.Sum) : 0, thrown);
    }

    public override string ToString() => Part is null ? $"{Number}" : $"{Part.Name}/{Number}({string.Join(", ", (object[])Children)})";

    private static RandomProgram Make(Random random, ProgramPart[] parts, int depth, ref int left)
    {
        left--;
        if (depth >= MostDepth || left <= 0 || random.Next(4) == 0)
        {
            return new RandomProgram(part: null, random.Next(1, 100), []);
        }

        ProgramPart part = parts[random.Next(parts.Length)];
        RandomProgram[] children = new RandomProgram[part.HasMany ? random.Next(1, MostChildren + 1) : 1];
        for (int i = 0; i < children.Length; i++)
        {
            children[i] = Make(random, parts, depth + 1, ref left);
        }

        return new RandomProgram(part, random.Next(100), children);
    }

    private async Task<int> RunLeaf()
    {
        switch (Number % 4)
        {
            case 0:
                await Task.Yield();
                break;
            case 1:
                await Task.Delay(1);
                break;
            case 2:
                Thread.Yield();
                break;
        }

        return Throws ? throw new ProgramException(Number) : Number;
    }
}
