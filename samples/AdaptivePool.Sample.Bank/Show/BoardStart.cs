namespace AdaptivePool.Sample.Bank.Show;

/// <summary>What became of the wish to start a load.</summary>
internal enum BoardStart
{
    Started,
    UnknownBank,
    AlreadyRunning,
}
