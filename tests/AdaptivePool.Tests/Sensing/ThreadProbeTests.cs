using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Sensing;

public sealed class ThreadProbeTests
{
    [Theory]
    [InlineData("running", "", false, "native code")]
    [InlineData("running", "futex_wait", true, "native code")]
    [InlineData("", "futex_wait", false, "kernel function futex_wait")]
    [InlineData("", "do", true, "kernel function do")]
    [InlineData("", "0", true, "system call (its name may not be read here)")]
    [InlineData("", "0", false, "system call")]
    [InlineData("", "", true, "system call (its name may not be read here)")]
    [InlineData("-1 0x7ffd 0x7f", "0", false, "page fault")]
    public void Describe_WhatTheKernelSays_IsToldAsFarAsItGoes(string call, string channel, bool isDenied, string expected) =>
        ThreadProbe.Describe(call, channel, isDenied).ShouldBe(expected);

    [Theory]
    [InlineData("system call futex", true)]
    [InlineData("kernel function futex_do_wait", true)]
    [InlineData("native code", true)]
    [InlineData("system call recvfrom", false)]
    [InlineData("system call", false)]
    public void MayBeHeld_WhereTheRuntimeHoldsThreads_AndWhereItHasGoneOn(string call, bool expected) => ThreadProbe.MayBeHeld(call).ShouldBe(expected);

    /// <summary>Nothing was denied: the thread has ended meanwhile.</summary>
    [Fact]
    public void SystemCall_ThreadIsNoMore_SaysNothingOfRights() =>
        ThreadProbe.SystemCall(int.MaxValue).ShouldBe(ThreadProbe.IsSupported ? "system call" : "native code");
}
