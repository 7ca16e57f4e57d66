namespace AdaptivePool.Sample.Bank.Compare;

internal enum PoolKind
{
    Runtime,
    Adaptive,
}
