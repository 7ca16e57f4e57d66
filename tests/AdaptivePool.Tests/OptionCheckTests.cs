using System.Globalization;
using System.Runtime;

namespace AdaptivePool.Tests;

public sealed class OptionCheckTests
{
    [Fact]
    public void Failures_OfOptionsThatAreCheckedAgain_CompilesNothing()
    {
        // Compiles what checks of such options have in common. The second options are others, with properties of their own.
        MethodsOfChecks<string>();
        long[] methods = MethodsOfChecks<Version>();

        methods.Skip(1).ShouldAllBe(it => it == methods[0], "reading a property a second time compiles a method of its own for it");
    }

    [Fact]
    public void Failures_AreToldInTheOrderOfTheOptions_WithTheBoundThatAnotherOptionIs()
    {
        var options = new Unused<object> { Threads = 6, Most = 5, Kind = (DayOfWeek)7, Other = (DayOfWeek)8, Time = TimeSpan.FromDays(2) };

        OptionCheck.Failures(options).Select(static failure => failure.Option)
            .ShouldBe([nameof(Unused<>.Threads), nameof(Unused<>.Kind), nameof(Unused<>.Other), nameof(Unused<>.Time)]);
        OptionCheck.Failures(options)[0].Message.ShouldBe("Threads is '6'; allowed: 1 to 5 (Most).");
    }

    [Fact]
    public void Messages_WhereTheUsersMinusIsAnother_AreThoseOfEveryCulture()
    {
        CultureInfo before = CultureInfo.CurrentCulture;
        try
        {
            CultureInfo.CurrentCulture = new CultureInfo("") { NumberFormat = { NegativeSign = "minus" } };
            using var pool = new AdaptiveThreadPool();
            Should.Throw<ArgumentOutOfRangeException>(() => pool.GetClass("a").Weight = -2).Message.ShouldContain("is -2;");
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }

    [Fact]
    public void Failures_OfAnOptionWithoutAFieldOfItsOwn_AreToldToo() =>
        OptionCheck.Failures(new Computed { Threads = 11 }).ShouldHaveSingleItem().Message.ShouldBe("Threads is '11'; allowed: 1 to 10.");

    [Fact]
    public void Failures_OfASmallNumber_AreToldWithoutAnExponent() =>
        new AdaptivePoolOptions { HillClimbing = new() { MinImprovement = 0.000002 } }.FindErrors().ShouldHaveSingleItem()
            .ShouldBe("HillClimbing.MinImprovement is '0.000002'; allowed: 0.00001 to 1.");

    private static long[] MethodsOfChecks<T>()
    {
        long[] methods = new long[4];
        for (int i = 0; i < methods.Length; i++)
        {
            OptionCheck.Failures(new Unused<T> { Threads = 6, Most = 5 }).Count.ShouldBe(1);
            methods[i] = JitInfo.GetCompiledMethodCount(currentThread: true);
        }

        return methods;
    }

    private sealed class Computed
    {
        private readonly int[] _threads = [1];

        [OptionRange(1, 10)]
        public int Threads { get => _threads[0]; init => _threads[0] = value; }
    }

    private sealed class Unused<T>
    {
        [OptionRange(1, 100, maximumOption: nameof(Most))]
        public int? Threads { get; init; }

        [OptionRange(1, 100)]
        public int Most { get; init; } = 5;

        public DayOfWeek Kind { get; init; }

        public DayOfWeek? Other { get; init; }

        [OptionRange("00:00:00", "1.00:00:00")]
        public TimeSpan Time { get; init; }

        [OptionRange(0.5, 1)]
        public double Share { get; init; } = 1;

        public string Text { get; init; } = "";
    }
}
