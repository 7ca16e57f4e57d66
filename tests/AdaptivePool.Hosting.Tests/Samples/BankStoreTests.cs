using AdaptivePool.Sample.Bank;
using AdaptivePool.Sample.Bank.Accounts;
using AdaptivePool.Sample.Bank.Storage;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

public sealed class BankStoreTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("bank-test-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void CreateIfMissing_SeveralStoresAtOnce_CreatesOneSetOfAccounts()
    {
        const int Stores = 4;
        using Barrier together = new(Stores);
        List<Exception> failures = [];
        Thread[] threads = [.. Enumerable.Range(0, Stores).Select(_ => new Thread(() =>
        {
            try
            {
                IBankStore store = Open();
                together.SignalAndWait();
                store.CreateIfMissing();
                (store as IDisposable)?.Dispose();
            }
            catch (Exception e)
            {
                lock (failures)
                {
                    failures.Add(e);
                }
            }
        }))];
        Array.ForEach(threads, t => t.Start());
        Array.ForEach(threads, t => t.Join());

        failures.ShouldBeEmpty();
        IBankStore check = Open();
        check.GetTotal().ShouldBe(new BankTotal { Accounts = 10_000, Balance = 10_000_000_000, Transfers = 0 });
        (check as IDisposable)?.Dispose();
    }

    [Fact]
    public void CreateIfMissing_SecondStart_KeepsBalances()
    {
        IBankStore store = Open();
        store.CreateIfMissing();
        store.Transfer(new TransferRequest { From = 1, To = 2, Amount = 7 }).Receipt.ShouldNotBeNull();
        store.CreateIfMissing();

        store.Find(1)!.Balance.ShouldBe(999_993);
        store.Find(2)!.Balance.ShouldBe(1_000_007);
        (store as IDisposable)?.Dispose();
    }

    [Theory]
    [InlineData("")]
    [InlineData("Bank")]
    [InlineData("1bank")]
    [InlineData("bank; DROP TABLE accounts")]
    public void Create_BadSchemaName_Throws(string schema)
        => Should.Throw<BankSettingException>(()
            => BankStores.Create(new BankOptions { Schema = schema }, "Host=127.0.0.1", _folder.FullName)).Message.ShouldContain("Bank:Schema");

    [Theory]
    [InlineData("nonsense")]
    [InlineData("Database=bank")]
    [InlineData("Colour=red")]
    public void Create_NoConnectionString_NamesTheSetting(string connectionString)
        => Should.Throw<BankSettingException>(()
            => BankStores.Create(new BankOptions(), connectionString, _folder.FullName)).Message.ShouldStartWith("ConnectionStrings:Bank is not a ");

    [Theory]
    [InlineData("missing/bank.db")]
    [InlineData("")]
    public void Create_NoPlaceForTheFile_NamesTheSetting(string file)
        => Should.Throw<BankSettingException>(()
            => BankStores.Create(new BankOptions { DatabaseFile = file }, null, _folder.FullName)).Message.ShouldStartWith($"Bank:DatabaseFile is '{file}'; ");

    private IBankStore Open() => BankStores.Create(new BankOptions { DatabaseFile = "bank.db" }, null, _folder.FullName);
}
