using System.Globalization;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>The cases of the postgres scenario: their names are read back, so they are made and read in one place.</summary>
public static class PostgresCases
{
    /// <summary>Transactions and partner calls together.</summary>
    public const string Mixture = "mixture";

    /// <summary>The case whose connections take a second to authenticate.</summary>
    public const string SlowConnect = "slow-connect";

    /// <summary>Partner calls, then transactions.</summary>
    public const string Switch = "partner-to-database";

    /// <summary>Few clients, many, few.</summary>
    public const string Hysteresis = "hysteresis";

    /// <summary>Prefix of the cases that follow the founding document's protocol.</summary>
    public const string Protocol = "seed-";

    /// <summary>Prefix of synchronous TPC-B from a cold start, long enough for a share of the best fixed size.</summary>
    public const string Cold = "sync-cold-";

    /// <summary>Prefix of synchronous TPC-B.</summary>
    public const string Sync = "sync-";

    /// <summary>Prefix of asynchronous TPC-B.</summary>
    public const string Async = "async-";

    /// <summary>Threads that the protocol starts with: the 72 processors of its machine.</summary>
    public const int ProtocolThreads = 72;

    /// <summary>Connections of the protocol here.</summary>
    public const int ProtocolClients = 256;

    /// <summary>Prefix of asynchronous TPC-B for long enough to judge a limit that is found.</summary>
    public const string Steady = "async-steady-";

    /// <summary>Prefix of a change from TPC-B to the mix like TPC-C's.</summary>
    public const string Change = "mix-change-";

    /// <summary>Arrivals at twice the capacity.</summary>
    public const string OpenLoop = "open-loop-2x";

    /// <summary>Few clients and many in turns, in one warm process.</summary>
    public const string Turns = "async-turns";

    /// <summary>A limit that is found and fixed ones in turns.</summary>
    public const string Found = "async-found";

    /// <summary>End of the cases in which a size that is found and fixed ones take turns.</summary>
    public const string Sizes = "-sizes";

    /// <summary>All numbers of clients in turns, in one warm process.</summary>
    public const string Sweep = "async-sweep";

    /// <summary>Prefix of what a limiter that is never full costs.</summary>
    public const string Tax = "async-tax-";

    /// <summary>The server is restarted under load.</summary>
    public const string Restart = "restart";

    /// <summary>The server ends busy sessions at random.</summary>
    public const string Kills = "kills";

    /// <summary>Prefix of synchronous TPC-B that is warm before it counts, and then long enough to judge a size that is found.</summary>
    public const string SteadySync = "sync-steady-";

    /// <summary>A class that hides three kinds of work.</summary>
    public const string Hidden = "hidden-mixture";

    /// <summary>Clients that come when others fill the database.</summary>
    public const string Crowded = "crowded-start";

    /// <summary>The same, most of their items answered from a cache.</summary>
    public const string CrowdedCached = "crowded-start-cached";

    /// <summary>Two kinds of transactions in turns, in one class.</summary>
    public const string MixesTpcC = "mixes-tpcc";

    /// <summary>Transactions, and the same after a call of a partner, in turns, in one class.</summary>
    public const string MixesPartner = "mixes-partner";

    private const string ReadWrite = "rw";
    private const string TpcC = "tpcc";
    private const string Remote = "-remote";
    private static readonly string[] s_fixed = ["runtime", "adaptive", "fixed-4", "fixed-8", "fixed-16"];
    private static readonly string[] s_gates =
        ["runtime", "gated-8", "gated-16", "limiter-8", "gradient2", "gated-adaptive", "gated-adaptive-from-64", "gated-adaptive-from-1000", "kept-8",
        "kept-adaptive"];
    private static readonly string[] s_warmGates = ["runtime", "gated-8", "gated-16", "gated-adaptive", "limiter-8", "gradient2", "kept-8", "kept-adaptive"];
    private static readonly string[] s_faultGates = ["gated-8", "kept-8", "kept-adaptive"];
    private static readonly TimeSpan s_long = TimeSpan.FromMinutes(25);
    private static readonly int[] s_coldClients = [64, 256, 1_024];
    private static readonly int[] s_taxClients = [1, 2, 4, 8];
    private static readonly string[] s_sizedWork = ["sync", TpcC, ReadWrite];
    private static readonly int[] s_steadyClients = [64, 1_024, 4_096];

    /// <summary>Client counts of sync-N and async-N.</summary>
    public static IReadOnlyList<int> Clients { get; } = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096];

    /// <summary>All cases.</summary>
    public static IReadOnlyList<ScenarioCase> All { get; } =
    [
        .. s_coldClients.Reverse().Select(n => ColdCase(n, remote: false)),
        .. s_coldClients.Reverse().Select(n => ColdCase(n, remote: true)),
        new(Mixture, "512 clients of transactions, 512 of 50 ms sleeps, in two classes") { DefaultPools =
            ["runtime", "adaptive", "fixed-600", "fixed-8+592", "gated-8"] },
        new(SlowConnect, "1,024 clients, synchronous, 1 s to authenticate") { DefaultPools = ["runtime", "adaptive", "fixed-8", "gated-8"] },
        new(Switch, "1,024 clients that sleep 50 ms, then all turn to transactions, in two classes") { DefaultPools =
            ["runtime", "adaptive", "fixed-8+1016", "gated-8"] },
        new(Hysteresis, "64 clients, then 1,024, then 64 again") { IsQuick = false, DefaultPools = ["runtime", "adaptive", "fixed-8", "fixed-64"] },
        .. Clients.Select(n => Sized(Sync, n, "synchronous")),
        .. Clients.Select(n => Sized(Async, n, "asynchronous")),
        OnRequest(Async + SlowConnect, "1,024 clients, asynchronous, 1 s to authenticate", ["runtime", "gated-8", "kept-8", "kept-adaptive"]),
        OnRequest(Async + Mixture, "512 clients of asynchronous transactions, 512 of asynchronous delays of 50 ms",
            ["runtime", "gated-8", "gated-adaptive", "kept-8"]),
        OnRequest(Async + Switch, "1,024 clients of asynchronous delays of 50 ms, then all turn to asynchronous transactions",
            ["runtime", "gated-8", "gated-adaptive", "kept-8"]),
        OnRequest(Turns, "16, 1,024 and 4,096 clients in turns, asynchronous, in one warm process: the share of the rate of few clients that many clients keep",
            s_warmGates) with { DefaultRounds = 1, TimeLimit = s_long },
        OnRequest(Found, "1,024 clients, asynchronous: ten seconds to find a limit, then this limit and fixed limits of 4 to 32 in turns, in one warm process",
            ["gated-adaptive", "gated-adaptive-from-64", "gated-adaptive-from-1000", "kept-adaptive", "kept-adaptive-from-1000"]) with { DefaultRounds = 1,
            TimeLimit = s_long },
        .. s_sizedWork.Select(work => OnRequest(work + Sizes,
            $"256 clients, synchronous, {NameOf(work)}: a minute to find a size, then this size and fixed sizes of 4 to 144 in turns, in one warm process",
            ["adaptive", "adaptive-from-72"]) with { DefaultRounds = 1, TimeLimit = s_long }),
        OnRequest(Sweep, "1 to 4,096 clients in turns, asynchronous, in one warm process", s_warmGates) with { DefaultRounds = 1, TimeLimit = s_long },
        .. s_taxClients.Select(n
            => OnRequest(Tax + Text(n), $"{n} client{(n == 1 ? "" : "s")}, asynchronous: with and without a limiter that is never full, in turns of 20 ms",
            ["gated-16", "limiter-16"]) with { DefaultRounds = 1 }),
        OnRequest(Restart, "256 clients, asynchronous; the server is restarted as after a crash", s_faultGates),
        OnRequest(Kills, "a million asynchronous transactions of 256 clients (--quick: 30,000), 15 minutes at most; busy sessions are ended at random, some "
            + "per second", s_faultGates) with { DefaultRounds = 1, TimeLimit = s_long },
        .. s_steadyClients.Select(n
            => OnRequest(Steady + Text(n), $"{n:N0} clients, asynchronous, 30 s: the second half shows the value of a limit that was found", s_gates)),
        OnRequest(SteadySync + "256",
            "256 clients, synchronous: 10 s to warm up, then 30 s: the value of a size that was found from a good or bad start",
            ["runtime", "adaptive", "adaptive-from-72", "adaptive-from-512", "fixed-4", "fixed-8", "fixed-16", "fixed-32"]),
        OnRequest(Hidden, "256 clients, synchronous, of one class whose items are transactions, sleeps of 50 ms and 1 ms of CPU in turns; beside them a class "
            + "of empty items", ["runtime", "adaptive", "runtime-8", "runtime-16", "runtime-32", "runtime-64", "runtime-128"]),
        OnRequest(Crowded, "256 clients, synchronous, which start 4 s after 256 asynchronous ones without a limit, in two classes",
            ["runtime", "adaptive", "runtime-256"]),
        OnRequest(CrowdedCached, "the same; four of five items of the late clients are answered from a cache", ["runtime", "adaptive", "runtime-256"]),
        OnRequest(MixesTpcC,
            "256 clients, synchronous: TPC-B and a mix like TPC-C's in turns, twice each: the time until work that ran before has its rate again",
            ["adaptive"]),
        OnRequest(MixesPartner, "256 clients, synchronous: TPC-B, and TPC-B after a sleep of 50 ms, in turns, twice each", ["adaptive"]),
        OnRequest(Change + "1024", "1,024 clients, synchronous: TPC-B, then a mix like TPC-C's", ["gated-8", "gated-16", "gated-adaptive"]),
        OnRequest(OpenLoop, "arrivals at twice the rate that a warm closed loop of 64 clients reached, asynchronous; a gate refuses a wait of more than 1 s",
            ["runtime", "gated-8", "gated-adaptive", "kept-8"]),
        .. s_coldClients.Select(n => OnRequest(TpcC + "-" + Text(n), $"{n:N0} clients of a mix like TPC-C's, synchronous, cold start", s_fixed)),
        .. s_coldClients.Select(n
            => OnRequest(ReadWrite + "-" + Text(n), $"{n:N0} clients of sysbench's read-write transaction, synchronous, cold start", s_fixed)),
        OnRequest(Protocol + ReadWrite, ProtocolOf("sysbench's read-write transaction"), ["adaptive"]) with { DefaultRounds = 1, TimeLimit = s_long },
        OnRequest(Protocol + TpcC, ProtocolOf("a mix like TPC-C's"), ["adaptive"]) with { DefaultRounds = 1, TimeLimit = s_long },
    ];

    /// <summary>Whether client and server have a core of their own.</summary>
    public static bool IsRemote(string name) => name.EndsWith(Remote, StringComparison.Ordinal);

    /// <summary>Whether connections take a second to authenticate.</summary>
    public static bool IsSlowConnect(string name) => name.EndsWith(SlowConnect, StringComparison.Ordinal);

    /// <summary>Whether transactions hold no thread.</summary>
    public static bool IsAsync(string name) => name.StartsWith(Async, StringComparison.Ordinal);

    /// <summary>Whether the case follows the founding document's protocol.</summary>
    public static bool IsProtocol(string name) => name.StartsWith(Protocol, StringComparison.Ordinal);

    /// <summary>The transactions of a case.</summary>
    public static Workload WorkloadOf(string name) =>
        name.StartsWith(ReadWrite, StringComparison.Ordinal) || name == Protocol + ReadWrite ? Workload.ReadWrite
        : name.StartsWith(TpcC, StringComparison.Ordinal) || name.StartsWith(Change, StringComparison.Ordinal) || name is MixesTpcC or Protocol + TpcC
            ? Workload.TpcC
        : Workload.TpcB;

    /// <summary>The number in a case's name.</summary>
    public static int ClientsOf(string name) => int.Parse(name.Split('-').Last(static part => char.IsAsciiDigit(part[0])), CultureInfo.InvariantCulture);

    private static ScenarioCase ColdCase(int clients, bool remote) =>
        new(Cold + Text(clients) + (remote ? Remote : ""),
            $"{clients:N0} clients, synchronous, cold start{(remote ? "; client and server on a core each" : "")}")
        {
            DefaultPools = s_fixed,
            IsDefault = clients == 1_024 && !remote,
            IsQuick = clients == 1_024 && !remote,
            Cores = remote ? "0" : null,
        };

    /// <summary>Every count can be asked for; three of them run by default.</summary>
    private static ScenarioCase Sized(string kind, int clients, string how) =>
        new(kind + Text(clients), $"{clients:N0} clients, {how}") { IsDefault = clients is 8 or 64 or 1_024, IsQuick = false };

    private static ScenarioCase OnRequest(string name, string description, IReadOnlyList<string> pools)
        => new(name, description) { IsDefault = false, IsQuick = false, DefaultPools = pools };

    private static string ProtocolOf(string work) =>
        $"{work}, {ProtocolClients} clients: adaptive from {ProtocolThreads} threads, then fixed {ProtocolThreads}, then fixed at the size found, ten minutes "
            + "each (founding document: more than +40 % on 72 processors)";

    private static string NameOf(string work) => work switch
    {
        TpcC => "a mix like TPC-C's",
        ReadWrite => "sysbench's read-write transaction",
        _ => "TPC-B",
    };

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
