using System.Runtime.ExceptionServices;
using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Sensing;

public sealed class SmallFileTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(4_096)]
    [InlineData(50_000)]
    public void TryRead_AnyLength_IsTheWholeText(int length)
    {
        using var system = new SystemFolder();
        string text = string.Concat(Enumerable.Range(0, length).Select(static i => (char)('a' + (i % 26))));
        system.Write("/file", text);

        SmallFile.TryRead(SmallFile.Below(system.Root, "/file")).ShouldBe(text);
        system.Write("/file", "short");
        SmallFile.TryRead(SmallFile.Below(system.Root, "/file")).ShouldBe("short");
    }

    [Fact]
    public void TryRead_NothingToRead_IsNull()
    {
        using var system = new SystemFolder();
        SmallFile.TryRead(SmallFile.Below(system.Root, "/missing")).ShouldBeNull();
        SmallFile.TryRead(SmallFile.Below(system.Root, "/proc")).ShouldBeNull();
    }

    // A control group may lack a file that is looked for four times a second: the counter of exceptions of a program would count the looks.
    [Fact]
    public void Read_FileIsMissing_ThrowsNothingInside()
    {
        using var system = new SystemFolder();
        int thread = Environment.CurrentManagedThreadId;
        int thrown = 0;
        void Count(object? sender, FirstChanceExceptionEventArgs e) => thrown += Environment.CurrentManagedThreadId == thread ? 1 : 0;
        AppDomain.CurrentDomain.FirstChanceException += Count;
        try
        {
            SmallFile.Read(SmallFile.Below(system.Root, "/missing")).ShouldBeNull();
            SmallFile.Read(SmallFile.Below(system.Root, "/missing/too")).ShouldBeNull();
        }
        finally
        {
            AppDomain.CurrentDomain.FirstChanceException -= Count;
        }

        thrown.ShouldBe(0);
    }

    /// <summary>A file that is missing says that there is no limit; one that cannot be opened now says nothing.</summary>
    [Fact]
    public void TryLook_FileCannotBeReadNow_HasNotLooked()
    {
        using var system = new SystemFolder();
        string path = SmallFile.Below(system.Root, "/file");
        string? text = "before";
        SmallFile.TryLook(() => text = SmallFile.Read(path)).ShouldBeTrue();
        text.ShouldBeNull();

        system.MakeUnreadable("/file");
        SmallFile.TryLook(() => text = SmallFile.Read(path) ?? "missing").ShouldBeFalse();
        text.ShouldBeNull();
        SmallFile.TryRead(path, out bool isDenied).ShouldBeNull();
        isDenied.ShouldBeFalse();
    }

    [Fact]
    public void TryRead_FileOfTheSystem_IsItsText() => SmallFile.TryRead("/proc/self/status")!.ShouldContain("Cpus_allowed_list:");

    [Fact]
    public void TryRead_FileThatEndsBeforeTheLengthItSays_IsItsText() => SmallFile.TryRead("/sys/devices/system/cpu/online")!.Trim().ShouldNotBeEmpty();

    [Theory]
    [InlineData("active_file 7\ninactive_file 8", "active_file ", "7")]
    [InlineData("inactive_file 8\nactive_file 7\n", "active_file ", "7")]
    [InlineData("inactive_file 8\n", "active_file ", null)]
    [InlineData("Threads:\t12\r\n", "Threads:", "12")]
    public void ValueOf_KeyIsTheEndOfAnother_IsTheOneThatALineBeginsWith(string text, string key, string? expected) =>
        SmallFile.ValueOf(text, key).ShouldBe(expected);
}
