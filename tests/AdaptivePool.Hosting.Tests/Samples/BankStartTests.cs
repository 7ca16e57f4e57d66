using System.Net;
using System.Net.Sockets;
using AdaptivePool.Sample.Bank;
using AdaptivePool.Sample.Bank.Storage;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

/// <summary>A bank that cannot start says why, and ends with an exit code instead of a stack trace.</summary>
public sealed class BankStartTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("bank-test-");

    private string DatabaseFile => Path.Combine(_folder.FullName, "bank.db");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Main_DatabaseFileCannotBeUsed_Returns2()
    {
        File.WriteAllText(DatabaseFile, new string('x', 5_000));
        (await Program.Main(["--urls", "http://127.0.0.1:0", "--Bank:DatabaseFile", DatabaseFile])).ShouldBe(2);
    }

    [Fact]
    public void CreateIfMissing_DatabaseFileCannotBeUsed_NamesTheSettingAndWhy()
    {
        File.WriteAllText(DatabaseFile, new string('x', 5_000));
        IBankStore store = BankStores.Create(new BankOptions { DatabaseFile = DatabaseFile }, null, _folder.FullName);
        string message = Should.Throw<BankSettingException>(store.CreateIfMissing).Message;
        (store as IDisposable)?.Dispose();
        message.ShouldStartWith($"Bank:DatabaseFile is '{DatabaseFile}'; ");
        message.ShouldContain("not a database");
    }

    [Fact]
    public async Task Main_PortIsInUse_Returns1()
    {
        using TcpListener port = new(IPAddress.Loopback, 0);
        port.Start();
        (await Program.Main(["--urls", $"http://{port.LocalEndpoint}", "--Bank:DatabaseFile", DatabaseFile])).ShouldBe(1);
    }

    [Theory]
    [InlineData("--AdaptivePool:MaxThreads", "none")]
    [InlineData("--AdaptivePool:MaxThreads", "0")]
    [InlineData("--AdaptivePool:MaxThread", "4")]
    [InlineData("--Bank:StopWithInput", "maybe")]
    [InlineData("--urls", "nonsense")]
    public async Task Main_WrongSetting_Returns2(params string[] args) =>
        (await Program.Main(["--Bank:DatabaseFile", DatabaseFile, .. args])).ShouldBe(2);
}
