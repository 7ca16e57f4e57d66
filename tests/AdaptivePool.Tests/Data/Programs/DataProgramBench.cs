using System.Data;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.Data.Programs;

/// <summary>A strict provider of one of many kinds, bare or behind a gate, on which programs run.</summary>
internal sealed class DataProgramBench : IDisposable
{
    private readonly FakeDataSource _inner;
    private readonly TransactionGate? _gate;
    private readonly GatedDataSource? _gated;
    private readonly AsyncLocal<string?> _fails = new();
    private int _taken;

    /// <summary>Makes a provider.</summary>
    /// <param name="seed">Its kind.</param>
    /// <param name="gate">The gate; <see langword="null"/> for none.</param>
    /// <param name="options">How the gate is before the provider.</param>
    public DataProgramBench(int seed, TransactionGateOptions? gate = null, GatedDataSourceOptions? options = null)
    {
        _inner = new FakeDataSource
        {
            IsStrict = true,
            IsSilent = seed % 7 == 3,
            DemandsTransactions = seed % 3 == 1,
            GivesTransactions = seed % 6 == 1,
            KeepsTransactions = seed % 5 == 0 || seed % 6 == 1,
            FailureEnds = seed % 4 == 1,
            StateWhenBroken = seed % 6 == 2 ? ConnectionState.Broken : ConnectionState.Closed,
            Noted = OnCall,
        };
        if (gate is not null)
        {
            _gate = new TransactionGate(gate);
            _gated = new GatedDataSource(_inner, _gate, options!);
        }
    }

    /// <summary>How many permits were out at most.</summary>
    public int Peak { get; private set; }

    public Task<List<DataNote>> RunAsync(IEnumerable<DataStep> program, int connections = 2) =>
        new DataProgramRun(_gated is null ? _inner : _gated, new DataProgramSettings
        {
            Connections = connections,
            HasEvents = !_inner.IsSilent,
            Fail = call => _fails.Value = call,
            TakeCalls = TakeCalls,
        }).RunAsync(program);

    /// <summary>What a program that has ended must not leave; empty where it has left nothing.</summary>
    public string FindLeft()
    {
        int held = _gate?.GetSnapshot().Held ?? 0;
        GatedDataSourceSnapshot? kept = _gated?.GetSnapshot();
        int used = _inner.Sessions.Count - (kept?.Idle ?? 0);
        int dirty = _inner.Sessions.Keys.Count(static session => !session.IsFresh);
        return (held, used, dirty, (kept?.Open - kept?.Idle) ?? 0) is (0, 0, 0, 0) ? ""
            : $"{held} permits are out, {used} sessions are in use, {dirty} sessions have something of their user, {kept}";
    }

    public void Dispose()
    {
        _gated?.Dispose();
        _gate?.Dispose();
    }

    private void OnCall(string call)
    {
        Peak = Math.Max(Peak, _gate?.GetSnapshot().Held ?? 0);
        if (_fails.Value is { } failing && call.StartsWith(failing, StringComparison.Ordinal))
        {
            throw new InvalidOperationException($"{call} failed");
        }
    }

    private string[] TakeCalls()
    {
        lock (_inner.Calls)
        {
            string[] taken = [.. _inner.Calls.Skip(_taken)];
            _taken = _inner.Calls.Count;
            return taken;
        }
    }
}
