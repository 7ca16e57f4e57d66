using AdaptivePool.Sample.Bank.Accounts;

namespace AdaptivePool.Sample.Bank.Storage;

public interface IBankStore
{
    /// <summary>Creates tables and accounts that are not there yet. Two processes may call it at once.</summary>
    void CreateIfMissing();

    Account? Find(int id);

    Task<Account?> FindAsync(int id, CancellationToken cancellationToken = default);

    /// <summary>Moves money in one transaction: all of it or nothing.</summary>
    /// <exception cref="BankBusyException">The database stayed locked; nothing was changed.</exception>
    TransferOutcome Transfer(TransferRequest request);

    /// <inheritdoc cref="Transfer"/>
    Task<TransferOutcome> TransferAsync(TransferRequest request, CancellationToken cancellationToken = default);

    BankTotal GetTotal();
}
