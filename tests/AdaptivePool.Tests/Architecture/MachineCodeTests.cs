using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Runtime;
using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Architecture;

/// <summary>
/// What each item passes is not in the machine code of the package (ADR 58): the runtime would know less about it, and make slower code once it is hot.
/// </summary>
public sealed class MachineCodeTests
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    [Theory]
    [InlineData(typeof(Worker), "RunUninterrupted", "RunNext", "Take", "TakeInFlight", "TakeRoot", "Execute", "Invoke", "Enter", "PushLocal", "ResetThread", "Post")]
    [InlineData(typeof(WorkerSet), "OfferLocal", "QueueRoot", "QueueInFlight", "TryTakeInFlight")]
    [InlineData(typeof(WorkStealingQueue<RealSync>), "Push", "TryPop", "TryPopOldest", "TrySteal")]
    [InlineData(typeof(PriorityLanes<RealSync>), "Enqueue", "TryDequeue")]
    [InlineData(typeof(AdaptiveTaskScheduler), "QueueTask", "Execute")]
    [InlineData(typeof(Intake), "Of", "Queue", "QueueContinuation")]
    public void Methods_ThatEachItemPasses_AreLeftOut(Type type, params string[] names)
    {
        foreach (string name in names)
        {
            MethodInfo[] methods = [.. type.GetMethods(Any).Where(method => method.Name == name && method.GetMethodBody() is not null)];
            methods.ShouldNotBeEmpty($"{type.Name}.{name} has another name now");
            methods.ShouldContain(static method => method.GetCustomAttribute<BypassReadyToRunAttribute>() != null, $"{type.Name}.{name}");
        }
    }

    // The compiler of the package looks for this name, in whatever assembly.
    [Fact]
    public void Attribute_HasTheNameThatTheCompilerKnows() => typeof(BypassReadyToRunAttribute).FullName.ShouldBe("System.Runtime." + "BypassReadyToRunAttribute");

    // The compiler leaves out in silence what uses an assembly that it was not told of. There are no images where none are made, as in a Debug build.
    [Fact]
    public void Images_AreMadeWithAllThatTheAssemblyUses()
    {
        string[] files = Directory.GetFiles(Path.Combine(Repository.Root, "src"), "*.dll.rsp", SearchOption.AllDirectories);
#if !DEBUG
        files.ShouldNotBeEmpty();
#endif
        foreach (string arguments in files)
        {
            string[] lines = File.ReadAllLines(arguments);
            IEnumerable<string?> told = lines.Where(static line => line.StartsWith("-r:", StringComparison.Ordinal)).Select(Path.GetFileNameWithoutExtension);
            ReferencesOf(lines.First(static line => !line.StartsWith('-'))).Except(told).ShouldBeEmpty(arguments);
        }
    }

    private static string[] ReferencesOf(string assembly)
    {
        using PEReader file = new(File.OpenRead(assembly));
        MetadataReader metadata = file.GetMetadataReader();
        return [.. metadata.AssemblyReferences.Select(handle => metadata.GetString(metadata.GetAssemblyReference(handle).Name))];
    }
}
