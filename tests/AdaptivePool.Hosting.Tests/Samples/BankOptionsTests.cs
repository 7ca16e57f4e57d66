using AdaptivePool.Sample.Bank;
using Microsoft.Extensions.Configuration;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

public sealed class BankOptionsTests
{
    [Theory]
    [InlineData("Bank:BusyTimeoutSeconds", "-1", "Bank:BusyTimeoutSeconds is '-1'; allowed: 1 to 3600.")]
    [InlineData("Bank:BusyTimeoutSeconds", "3601", "Bank:BusyTimeoutSeconds is '3601'; allowed: 1 to 3600.")]
    [InlineData("Bank:BusyTimeoutSeconds", "long", "'Bank:BusyTimeoutSeconds'")]
    [InlineData("Bank:ReportPaths", "0", "Bank:ReportPaths is '0'; allowed: 1 to 1000000000.")]
    [InlineData("Bank:Busytimeout", "5", "Bank:Busytimeout is unknown; allowed: DatabaseFile, BusyTimeoutSeconds, ")]
    public void Read_BadSetting_NamesItAndWhatIsAllowed(string key, string value, string message) =>
        Should.Throw<BankSettingException>(() => BankOptions.Read(Configuration(key, value))).Message.ShouldContain(message);

    [Theory]
    [InlineData("1")]
    [InlineData("3600")]
    public void Read_GoodSetting_HasIt(string seconds) =>
        $"{BankOptions.Read(Configuration("bank:busytimeoutseconds", seconds)).BusyTimeoutSeconds}".ShouldBe(seconds);

    [Fact]
    public void Read_NothingSet_HasTheDefaults() => BankOptions.Read(new ConfigurationBuilder().Build()).BusyTimeoutSeconds.ShouldBe(5);

    private static IConfiguration Configuration(string key, string value) =>
        new ConfigurationBuilder().AddInMemoryCollection([new(key, value)]).Build();
}
