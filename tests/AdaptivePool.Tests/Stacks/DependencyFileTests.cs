using System.Text;
using System.Text.Json;
using AdaptivePool.Stacks;

namespace AdaptivePool.Tests.Stacks;

public sealed class DependencyFileTests
{
    private const string Text = """
        {
          "targets": {
            ".NETCoreApp,Version=v10.0": {
              "Bank/1.0.0": { "dependencies": { "Npgsql": "10.0.0" }, "runtime": { "Bank.dll": {} } },
              "Bank.Data/1.0.0": { "runtime": { "Bank.Data.dll": {} } },
              "Npgsql/10.0.0": { "runtime": { "lib/net10.0/Npgsql.dll": {} } },
              "Native.Driver/1.0.0": { "runtimeTargets": { "runtimes/unix/lib/net8.0/Native.Driver.Core.dll": { "rid": "unix" } } }
            }
          },
          "libraries": {
            "Bank/1.0.0": { "type": "project" },
            "Bank.Data/1.0.0": { "type": "project" },
            "Npgsql/10.0.0": { "type": "package" },
            "Native.Driver/1.0.0": { "type": "package" }
          }
        }
        """;

    [Fact]
    public void Packages_AreTheAssembliesOfPackagesAndNotOfProjects() =>
        DependencyFile.Packages(Encoding.UTF8.GetBytes(Text)).ShouldBe(["Npgsql", "Native.Driver.Core"], ignoreOrder: true);

    [Fact]
    public void Packages_NoSuchFile_IsRefused()
    {
        Should.Throw<JsonException>(() => DependencyFile.Packages("no JSON"u8.ToArray()));
        Should.Throw<InvalidOperationException>(() => DependencyFile.Packages("""{ "libraries": 1 }"""u8.ToArray()));
        DependencyFile.Packages("{}"u8.ToArray()).ShouldBeEmpty();
    }

    [Fact]
    public void ReadOwn_ThisProgram_KnowsItsPackagesFromItsProjects()
    {
        ProgramCode program = DependencyFile.ReadOwn();
        program.OriginOf(new FrameName("Shouldly", "Shouldly.Should", "Throw")).ShouldBe(CodeOrigin.Package);
        program.OriginOf(new FrameName("AdaptivePool.Tests", "AdaptivePool.Tests.PoolTest", "Dispose")).ShouldBe(CodeOrigin.Application);
        program.OriginOf(new FrameName("AdaptivePool", "AdaptivePool.AdaptiveThreadPool", "Dispose")).ShouldBe(CodeOrigin.Pool);
    }

    [Theory]
    [InlineData("no JSON")]
    [InlineData("""{ "libraries": 1 }""")]
    [InlineData(null)]
    public void ReadOwn_FileThatCannotBeRead_PackagesAreUnknown(string? text)
    {
        const string Key = "APP_CONTEXT_DEPS_FILES";

        // Read once and kept: pools of other tests have what is true.
        WaitStack.Program.Packages.ShouldNotBeNull();
        object? files = AppContext.GetData(Key);
        string path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName() + ".deps.json");
        try
        {
            if (text is not null)
            {
                File.WriteAllText(path, text);
            }

            AppContext.SetData(Key, path);
            ProgramCode program = DependencyFile.ReadOwn();
            program.Packages.ShouldBeNull();
            program.OriginOf(new FrameName("Shouldly", "Shouldly.Should", "Throw")).ShouldBe(CodeOrigin.Unknown);
        }
        finally
        {
            AppContext.SetData(Key, files);
            File.Delete(path);
        }
    }
}
