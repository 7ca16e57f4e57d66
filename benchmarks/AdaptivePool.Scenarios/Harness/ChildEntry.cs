using System.Text.Json;

namespace AdaptivePool.Scenarios.Harness;

/// <summary>Entry of a child process.</summary>
public static class ChildEntry
{
    /// <summary>First argument of a child.</summary>
    public const string Verb = "child";

    /// <summary>Runs the round that the argument describes. Then it ends the process without waiting for work in flight.</summary>
    public static int Run(string json)
    {
        ChildRequest request = JsonSerializer.Deserialize<ChildRequest>(json) ?? throw new UsageException("The child got no request.");
        WatchParent();
        try
        {
            ScenarioCatalog.Find(request.Scenario).RunChild(new ChildContext(request));
        }
        catch (Exception exception)
        {
            Console.Error.WriteLine(exception);
            Environment.Exit(1);
        }

        Environment.Exit(0);
        return 0;
    }

    /// <summary>A child must not outlive its parent: the pipe to standard input ends when the parent does.</summary>
    private static void WatchParent()
    {
        Stream input = Console.OpenStandardInput();
        new Thread(() =>
        {
            byte[] buffer = new byte[1];
            while (input.Read(buffer) > 0)
            {
            }

            Environment.Exit(3);
        })
        { IsBackground = true, Name = "parent watch" }.UnsafeStart();
    }
}
