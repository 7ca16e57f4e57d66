using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using AdaptivePool.Balancing.Overload;
using Microsoft.Extensions.DependencyInjection;

namespace AdaptivePool.Tests.Faults;

/// <summary>A backend whose system refuses it the second of the two threads of the load report, in a child process.</summary>
internal static partial class ChildAgent
{
    /// <summary>Stack of each thread of the child: much more than code and objects need meanwhile.</summary>
    public const long StackBytes = 128L << 20;

    private const int AddressSpace = 9;

    public static int Run()
    {
        // All code has run once, and this one keeps its threads: their stacks would be used again.
        using ServiceProvider before = Report(FreePort());
        _ = before.GetRequiredService<OverloadMonitor>();
        int port = FreePort();
        using ServiceProvider refused = Report(port);
        Limit((ulong)(AddressSpaceBytes() + (StackBytes * 3 / 2)));
        string failure = "none";
        try
        {
            _ = refused.GetRequiredService<OverloadMonitor>();
        }
        catch (InvalidOperationException exception)
        {
            failure = exception.InnerException!.GetType().Name;
        }

        Limit(ulong.MaxValue);

        // The system lists a thread for a moment after it has ended.
        Eventually.Be(static () => Monitors() == 1, "the thread of the monitor that is given up ends");
        int monitors = Monitors();
        bool isFree = IsFree(port);
        Console.ReadLine();
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"failure {failure} monitors {monitors} free {isFree}"));
        return 0;
    }

    private static int Monitors()
    {
        int count = 0;
        foreach (string thread in Directory.GetDirectories("/proc/self/task"))
        {
            try
            {
                count += File.ReadAllText($"{thread}/comm").StartsWith("overload", StringComparison.Ordinal) ? 1 : 0;
            }
            catch (IOException)
            {
                // It has just ended.
            }
        }

        return count;
    }

    private static ServiceProvider Report(int port) => new ServiceCollection().AddLogging().AddLoadReporting(it => it.AgentPort = port).BuildServiceProvider();

    private static int FreePort()
    {
        using var free = new TcpListener(IPAddress.Loopback, 0);
        free.Start();
        return ((IPEndPoint)free.LocalEndpoint).Port;
    }

    private static bool IsFree(int port)
    {
        using var listener = new TcpListener(IPAddress.Loopback, port);
        try
        {
            listener.Start();
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    private static long AddressSpaceBytes()
    {
        string line = File.ReadLines("/proc/self/status").Single(static it => it.StartsWith("VmSize:", StringComparison.Ordinal));
        return 1024 * long.Parse(line["VmSize:".Length..^"kB".Length], CultureInfo.InvariantCulture);
    }

    private static void Limit(ulong bytes) => SetLimit(AddressSpace, [bytes, ulong.MaxValue]).ShouldBe(0);

    [LibraryImport("libc", EntryPoint = "setrlimit")]
    private static partial int SetLimit(int resource, ulong[] limits);
}
