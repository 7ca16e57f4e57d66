using System.Globalization;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Bursts;

/// <summary>MariaDB with its own thread pool: the same requests as statements, over connections that are open beforehand.</summary>
public sealed class MariaDbBurstServer : BurstServer
{
    /// <summary>Name of the setting with the path of the server's socket.</summary>
    public const string SocketSetting = "mariadb-socket";

    /// <summary>Name of the setting with the number of the server's process.</summary>
    public const string ProcessSetting = "mariadb-process";

    /// <summary>Name of the setting with the number of turns of <see cref="Turns"/> in a millisecond of an undisturbed core.</summary>
    public const string TurnsSetting = "mariadb-turns-per-ms";

    /// <summary>As many as the largest burst has requests.</summary>
    private const int Connections = 200;

    /// <summary>Connections of the answers, as an application would have them.</summary>
    private const int AnswerConnections = 64;

    private readonly MariaDbConnections _requests;
    private readonly MariaDbConnections _answers;
    private readonly double _turnsPerMillisecond;
    private readonly string _tasks;
    private readonly int _atRest;

    /// <summary>Opens the connections.</summary>
    public MariaDbBurstServer(ChildContext child)
    {
        _tasks = $"/proc/{child.Setting(ProcessSetting)}/task";
        _atRest = Directory.GetDirectories(_tasks).Length;
        _turnsPerMillisecond = double.Parse(child.Setting(TurnsSetting), CultureInfo.InvariantCulture);
        _requests = new MariaDbConnections(child.Setting(SocketSetting), Connections);
        _answers = new MariaDbConnections(child.Setting(SocketSetting), AnswerConnections);
    }

    /// <summary>Threads beyond those that the server had before the first connection of the round.</summary>
    public override int Threads => Directory.GetDirectories(_tasks).Length - _atRest;

    /// <summary>A statement that computes.</summary>
    public static string Turns(long count) => string.Create(CultureInfo.InvariantCulture, $"DO BENCHMARK({count}, MD5('a'))");

    /// <summary>A statement that sleeps. The server tells its pool.</summary>
    public override BurstWork Sleep(TimeSpan time, bool tells) => Request(string.Create(CultureInfo.InvariantCulture, $"DO SLEEP({time.TotalSeconds})"));

    /// <inheritdoc/>
    public override BurstWork Compute(TimeSpan time) => Request(Turns((long)(_turnsPerMillisecond * time.TotalMilliseconds)));

    /// <summary>A device that does one operation after the other: who has the lock. The server tells its pool of both waits.</summary>
    public override BurstWork Operate() => Request(string.Create(
        CultureInfo.InvariantCulture, $"DO GET_LOCK('device', 60), SLEEP({1.0 / OperationsPerSecond}), RELEASE_LOCK('device')"));

    /// <inheritdoc/>
    public override BurstWork Answer(bool apart) => new(_answers.Send("DO 1"), static () => { });

    private BurstWork Request(string statement) => new(_requests.Send(statement), static () => { });
}
