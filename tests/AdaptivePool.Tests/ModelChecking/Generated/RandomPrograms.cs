using System.Globalization;
using FsCheck;
using FsCheck.Fluent;

namespace AdaptivePool.Tests.ModelChecking.Generated;

/// <summary>Runs random programs of operations under random schedules. The default run has a fixed seed; ADAPTIVEPOOL_RANDOM_PROGRAMS=N runs N programs that
/// nobody has seen before.</summary>
internal static class RandomPrograms
{
    public const string Variable = "ADAPTIVEPOOL_RANDOM_PROGRAMS";
    private const int Programs = 400;
    private const int Seed = 2_026;

    /// <summary>Operations of a program; more make it slower and find nothing that fewer do not.</summary>
    private const int MostOperations = 9;

    /// <summary>Schedules of each kind for a program.</summary>
    private const int Schedules = 15;

    /// <summary>Requires that no program fails under any schedule tried; a failing one is shrunk by FsCheck, and its schedule by the checker.</summary>
    /// <param name="create">Makes a program of operations and a setting, both any bytes.</param>
    /// <param name="mutation">A mistake to make.</param>
    public static void Check(Func<byte[], byte, ModelProgram> create, Mutation? mutation = null, Action<byte[]>? onFailure = null)
    {
        using var checker = new Checker();
        Prop.ForAll<byte[], byte, byte>((operations, setting, schedule) =>
        {
            byte[] few = operations.Length > MostOperations ? operations[..MostOperations] : operations;
            Failure? failure = checker.Explore(() => create(few, setting), new RandomStrategy(schedule, Schedules), mutation).Failure
                ?? checker.Explore(() => create(few, setting), new PctStrategy(schedule, Schedules), mutation).Failure;
            if (failure is not null)
            {
                onFailure?.Invoke(few);
                throw new ModelFailureException(failure.ToString());
            }
        }).Check(Settings());
    }

    private static Config Settings()
    {
        Config settings = Config.QuickThrowOnFailure.WithEndSize(40);
        return Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } more
            ? settings.WithMaxTest(int.Parse(more, CultureInfo.InvariantCulture))
            : settings.WithMaxTest(Programs).WithReplay(Seed, 297);
    }
}
