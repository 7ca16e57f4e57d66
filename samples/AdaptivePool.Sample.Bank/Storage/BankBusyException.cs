namespace AdaptivePool.Sample.Bank.Storage;

/// <summary>The database could not give the transaction its turn. The transaction was rolled back and may be sent again.</summary>
public sealed class BankBusyException(Exception cause) : Exception("The bank is busy; nothing was changed.", cause)
{
    public static int StatusCodeOf(Exception exception)
        => exception is BankBusyException ? StatusCodes.Status503ServiceUnavailable : StatusCodes.Status500InternalServerError;
}
