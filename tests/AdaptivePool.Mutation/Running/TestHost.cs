using System.Diagnostics;
using System.Globalization;
using System.IO.MemoryMappedFiles;
using System.Reflection;
using AdaptivePool.Mutation.Schemata;
using Xunit.Abstractions;
using Xunit.Sdk;

namespace AdaptivePool.Mutation.Running;

/// <summary>The child process: runs test cases against the mutated core in its folder.</summary>
internal sealed class TestHost
{
    private readonly TextWriter _output = Console.Out;
    private readonly XunitTestFramework _framework = new(new MessageSink(static _ => true));
    private readonly Assembly _tests;
    private readonly ITestFrameworkDiscoverer _discoverer;
    private MemoryMappedViewAccessor? _marks;
    private byte[] _hits = [];

    private TestHost(string suite)
    {
        _tests = Assembly.Load(suite);

        // As in the usual host: web applications look for their controllers there.
        Assembly.SetEntryAssembly(_tests);
        Console.SetOut(TextWriter.Null);
        Console.SetError(TextWriter.Null);
        _discoverer = _framework.GetDiscoverer(Reflector.Wrap(_tests));
    }

    public static int Run(string[] arguments)
    {
        var host = new TestHost(arguments[0]);
        new Thread(EndWithParent) { IsBackground = true }.Start();
        if (arguments is [_, HostProtocol.Record, var part, var parts, .. var filters])
        {
            host.Record(int.Parse(part, CultureInfo.InvariantCulture), int.Parse(parts, CultureInfo.InvariantCulture), filters);
        }
        else if (arguments is [_, HostProtocol.Run, var file])
        {
            host.RunAll([.. File.ReadAllLines(file).Select(TestId.Parse)]);
        }

        host.Tell(HostProtocol.End);
        Environment.Exit(0);
        return 0;
    }

    /// <summary>A parent that was killed closes the input: a mutant that hangs must not stay behind.</summary>
    private static void EndWithParent()
    {
        using Stream input = Console.OpenStandardInput();
        _ = input.ReadByte();
        Process.GetCurrentProcess().Kill();
    }

    private void Record(int part, int parts, string[] filters)
    {
        string file = Environment.GetEnvironmentVariable(Guard.RecordVariable)!;
        _hits = new byte[new FileInfo(file).Length];
        _marks = MemoryMappedFile.CreateFromFile(file).CreateViewAccessor();
        List<ITestCase> found = Discover(null);
        IEnumerable<IGrouping<string, ITestCase>> classes = found
            .Where(c => filters.Length == 0 || Array.Exists(filters, f => (IdOf(c).Class + "." + IdOf(c).Name).Contains(f, StringComparison.Ordinal)))
            .GroupBy(static c => IdOf(c).Class, StringComparer.Ordinal)
            .OrderBy(static g => g.Key, StringComparer.Ordinal)
            .Where((_, index) => index % parts == part);
        foreach (IGrouping<string, ITestCase> each in classes)
        {
            RunCases([.. each]);
        }
    }

    private void RunAll(TestId[] ids)
    {
        Dictionary<string, ILookup<string, ITestCase>> known = new(StringComparer.Ordinal);
        List<ITestCase> together = [];
        foreach (TestId id in ids)
        {
            if (!known.TryGetValue(id.Class, out ILookup<string, ITestCase>? cases))
            {
                known.Add(id.Class, cases = Discover(id.Class).ToLookup(static c => IdOf(c).Name, StringComparer.Ordinal));
            }

            if (together.Count > 0 && IdOf(together[^1]).Class != id.Class)
            {
                RunCases(together);
                together = [];
            }

            together.AddRange(cases[id.Name]);
        }

        RunCases(together);
    }

    private List<ITestCase> Discover(string? className)
    {
        List<ITestCase> found = [];
        using var complete = new ManualResetEvent(initialState: false);
        var sink = new MessageSink(message =>
        {
            if (message is ITestCaseDiscoveryMessage discovered)
            {
                lock (found)
                {
                    found.Add(discovered.TestCase);
                }
            }
            else if (message is IDiscoveryCompleteMessage)
            {
                complete.Set();
            }

            return true;
        });
        if (className is null)
        {
            _discoverer.Find(includeSourceInformation: false, sink, new RunOptions());
        }
        else
        {
            _discoverer.Find(className, includeSourceInformation: false, sink, new RunOptions());
        }

        complete.WaitOne();
        return found;
    }

    private void RunCases(List<ITestCase> cases)
    {
        if (cases.Count == 0)
        {
            return;
        }

        using var complete = new ManualResetEvent(initialState: false);
        using ITestFrameworkExecutor executor = _framework.GetExecutor(_tests.GetName());
        executor.RunTests(cases, new MessageSink(message => Observe(message, complete)), new RunOptions());
        complete.WaitOne();
    }

    private bool Observe(IMessageSinkMessage message, ManualResetEvent complete)
    {
        switch (message)
        {
            case ITestCaseStarting starting:
                Array.Clear(_hits);
                _marks?.WriteArray(0, _hits, 0, _hits.Length);
                Tell(HostProtocol.Start + IdOf(starting.TestCase));
                break;
            case ITestCaseFinished finished:
                if (_marks is not null)
                {
                    _marks.ReadArray(0, _hits, 0, _hits.Length);
                    Tell(HostProtocol.Hits + string.Join(',', Enumerable.Range(0, _hits.Length).Where(i => _hits[i] != 0)));
                }

                Tell((finished.TestsFailed == 0 ? HostProtocol.Passed : HostProtocol.Failed) + finished.ExecutionTime.ToString(CultureInfo.InvariantCulture));
                break;
            case IErrorMessage or ITestClassCleanupFailure or ITestCollectionCleanupFailure:
                Tell(HostProtocol.Failed + "0");
                break;
            case ITestAssemblyFinished:
                complete.Set();
                break;
            default:
                break;
        }

        return true;
    }

    private void Tell(string line)
    {
        lock (_output)
        {
            _output.WriteLine(line);
            _output.Flush();
        }
    }

    private static TestId IdOf(ITestCase test) =>
        new(test.TestMethod.TestClass.Class.Name, test.DisplayName.Replace('\t', ' ').Replace('\n', ' ').Replace('\r', ' '));
}
