namespace AdaptivePool.Tests.ModelChecking;

/// <summary>A shared number of a test program.</summary>
internal sealed class Cell(int value = 0)
{
    private int _value = value;

    public ref int Value => ref _value;
}
