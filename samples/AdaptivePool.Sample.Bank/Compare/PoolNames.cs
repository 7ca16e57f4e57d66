namespace AdaptivePool.Sample.Bank.Compare;

internal static class PoolNames
{
    public static string Of(PoolKind kind) => kind == PoolKind.Runtime ? "the runtime's pool" : "AdaptivePool";
}
