using System.IO.Compression;
using System.Reflection.PortableExecutable;
using System.Xml.Linq;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Packages;

/// <summary>What somebody gets who installs the packages: they are packed as the README says, and a fresh app is built from them and from nothing else of this
/// repository.</summary>
public sealed class PackageConsumerTests : IAsyncLifetime
{
    // A version of its own: no cache has it.
    private const string Version = "0.1.0-consumer";

#if DEBUG
    private const string Configuration = "Debug";
#else
    private const string Configuration = "Release";
#endif

    private const string Program = """
        var builder = WebApplication.CreateBuilder(args);
        builder.Services.AddAdaptivePool();
        var app = builder.Build();
        app.UseAdaptivePool();
        app.MapGet("/", () => AdaptivePool.AdaptiveThreadPool.Current is { } pool ? $"the pool {pool.Name}" : "nobody of ours");
        await app.StartAsync();
        using var client = new HttpClient();
        Console.WriteLine($"answered by {await client.GetStringAsync(app.Urls.First())}");
        Console.WriteLine($"loaded {Path.GetRelativePath(AppContext.BaseDirectory, typeof(AdaptivePool.AdaptiveThreadPool).Assembly.Location)}");
        Console.WriteLine($"spins {AppContext.GetData("System.Threading.ThreadPool.UnfairSemaphoreSpinLimit")} times");
        await app.StopAsync();
        """;

    private const string SpinLimit = "System.Threading.ThreadPool.UnfairSemaphoreSpinLimit";

    private const string Project = $"""
        <Project Sdk="Microsoft.NET.Sdk.Web">
          <PropertyGroup>
            <TargetFramework>net10.0</TargetFramework>
            <Nullable>enable</Nullable>
            <ImplicitUsings>enable</ImplicitUsings>
            <NuGetAudit>false</NuGetAudit>
            <AdaptivePoolSpinLimit>0</AdaptivePoolSpinLimit>
          </PropertyGroup>
          <ItemGroup Condition="'$(Own)' != ''">
            <RuntimeHostConfigurationOption Include="{SpinLimit}" Value="$(Own)" />
          </ItemGroup>
          <ItemGroup>
            <PackageReference Include="AdaptivePool.Hosting" Version="{Version}" />
            <PackageReference Include="AdaptivePool.Data" Version="{Version}" />
          </ItemGroup>
        </Project>
        """;

    private static readonly string[] s_packages =
        ["AdaptivePool", "AdaptivePool.Balancing", "AdaptivePool.Yarp", "AdaptivePool.Data", "AdaptivePool.Hosting", "AdaptivePool.EntityFrameworkCore"];

    private readonly string _folder = Directory.CreateTempSubdirectory("adaptivepool-consumer-").FullName;

    // Machine code is compiled by the release build on the system that it is for.
    private static bool HasImages =>
        Configuration == "Release" && OperatingSystem.IsLinux() && System.Runtime.InteropServices.RuntimeInformation.RuntimeIdentifier == "linux-x64";

    private string Feed => Path.Combine(_folder, "feed");

    private static string Root
    {
        get
        {
            string root = AppContext.BaseDirectory;
            while (!File.Exists(Path.Combine(root, "AdaptivePool.sln")))
            {
                root = Path.GetDirectoryName(root) ?? throw new InvalidOperationException("The tests do not run inside the repository.");
            }

            return root;
        }
    }

    // As README.md says it.
    public Task InitializeAsync() => DotnetCommand.RunAsync(
        Root, "pack", "AdaptivePool.Packages.slnf", "-c", Configuration, "--no-build", "-o", Feed, $"-p:Version={Version}", "-v", "quiet");

    public Task DisposeAsync()
    {
        Directory.Delete(_folder, recursive: true);
        return Task.CompletedTask;
    }

    // Projects are packed as they are built, and the test command builds those of a solution side by side: what this one does not name may not be there yet.
    [Fact]
    public void Packages_AreThoseOfTheRepository_AndBuiltBeforeTheseTests()
    {
        s_packages.ShouldBe(Directory.EnumerateDirectories(Path.Combine(Root, "src")).Select(static f => Path.GetFileName(f)!), ignoreOrder: true);
        string[] built = [.. XDocument.Load(Path.Combine(Root, "tests", "AdaptivePool.Hosting.Tests", "AdaptivePool.Hosting.Tests.csproj"))
            .Descendants("ProjectReference").Select(static r => Path.GetFileNameWithoutExtension((string)r.Attribute("Include")!))];
        s_packages.Except(built).ShouldBe(["AdaptivePool"], "AdaptivePool itself is built for those that need it");
    }

    [Fact]
    public async Task Packages_InAFreshApp_RunWithTwoLines()
    {
        foreach (string package in s_packages)
        {
            CheckContents(package);
        }

        string app = Path.Combine(_folder, "app");
        Directory.CreateDirectory(app);
        await File.WriteAllTextAsync(Path.Combine(app, "app.csproj"), Project);
        await File.WriteAllTextAsync(Path.Combine(app, "Program.cs"), Program);

        // Beside the sources of this machine; packages of others come from where they are already.
        await File.WriteAllTextAsync(Path.Combine(app, "nuget.config"),
            $"""<configuration><packageSources><add key="packed" value="{Feed}" /></packageSources></configuration>""");
        string known = Environment.GetEnvironmentVariable("NUGET_PACKAGES")
            ?? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");
        await DotnetCommand.RunAsync(
            app, "build", "-c", "Release", "-v", "quiet", $"-p:RestorePackagesPath={Path.Combine(_folder, "packages")}", $"-p:RestoreFallbackFolders={known}");
        string output = await DotnetCommand.RunAsync(app, Path.Combine("bin", "Release", "net10.0", "app.dll"), "--urls", "http://127.0.0.1:0");

        output.ShouldContain("answered by the pool default");
        output.ShouldContain("spins 0 times");
        if (HasImages)
        {
            output.ShouldContain("loaded runtimes/linux-x64/lib/net10.0/AdaptivePool.dll");
        }

        await CheckSpinLimitAsync(app);
    }

    private static async Task CheckSpinLimitAsync(string app)
    {
        string[] ask = ["msbuild", "-getItem:RuntimeHostConfigurationOption", "-p:Configuration=Release"];
        (await DotnetCommand.RunAsync(app, [.. ask, "-p:AdaptivePoolSpinLimit="])).ShouldNotContain(SpinLimit);

        // Whoever sets the runtime's own option is believed.
        string own = await DotnetCommand.RunAsync(app, [.. ask, "-p:Own=7"]);
        own.ShouldContain("\"Value\": \"7\"");
        own.ShouldNotContain("\"Value\": \"0\"");
        InvalidOperationException wrong = await Should.ThrowAsync<InvalidOperationException>(
            () => DotnetCommand.RunAsync(app, "build", "-c", "Release", "--no-restore", "-v", "quiet", "-p:AdaptivePoolSpinLimit=many"));
        wrong.Message.ShouldContain("AdaptivePoolSpinLimit is 'many'; allowed: 0 to 9999, or not set.");
    }

    private void CheckContents(string package)
    {
        using ZipArchive archive = ZipFile.OpenRead(Path.Combine(Feed, $"{package}.{Version}.nupkg"));
        string[] entries = [.. archive.Entries.Select(static e => e.FullName)];
        entries.ShouldContain("README.md");
        entries.ShouldContain($"lib/net10.0/{package}.dll");
        string image = $"runtimes/linux-x64/lib/net10.0/{package}.dll";
        entries.Contains(image).ShouldBe(HasImages, image);
        if (HasImages)
        {
            using var machineCode = new PEReader(new MemoryStream(Bytes(archive, image)));
            using var portable = new PEReader(new MemoryStream(Bytes(archive, $"lib/net10.0/{package}.dll")));
            machineCode.PEHeaders.CorHeader.ShouldNotBeNull().ManagedNativeHeaderDirectory.Size.ShouldBeGreaterThan(0);
            portable.PEHeaders.CorHeader.ShouldNotBeNull().ManagedNativeHeaderDirectory.Size.ShouldBe(0);
        }

        XDocument documentation = Read(archive, $"lib/net10.0/{package}.xml");
        documentation.Descendants("member").Count(static m => m.Element("summary") is not null).ShouldBeGreaterThan(0);
        XElement metadata = Read(archive, $"{package}.nuspec").Root!.Elements().First();
        metadata.Elements().ShouldContain(static e => e.Name.LocalName == "readme" && e.Value == "README.md");
        metadata.Elements().ShouldContain(static e => e.Name.LocalName == "license" && e.Value == "MIT");
        if (package is not ("AdaptivePool" or "AdaptivePool.Balancing"))
        {
            metadata.Descendants()
                .ShouldContain(static e => e.Name.LocalName == "dependency"
                && ((string)e.Attribute("id")!).StartsWith("AdaptivePool", StringComparison.Ordinal));
        }

        if (package == "AdaptivePool.Hosting")
        {
            entries.ShouldContain("ConfigurationSchema.json");
            entries.ShouldContain("buildTransitive/AdaptivePool.Hosting.targets");
        }
    }

    private static byte[] Bytes(ZipArchive archive, string entry)
    {
        using Stream stream = archive.GetEntry(entry).ShouldNotBeNull(entry).Open();
        using var bytes = new MemoryStream();
        stream.CopyTo(bytes);
        return bytes.ToArray();
    }

    private static XDocument Read(ZipArchive archive, string entry)
    {
        using Stream stream = archive.GetEntry(entry).ShouldNotBeNull(entry).Open();
        return XDocument.Load(stream);
    }
}
