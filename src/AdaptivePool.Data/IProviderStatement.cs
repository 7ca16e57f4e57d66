namespace AdaptivePool.Data;

/// <summary>What a provider's command and its batch have in common.</summary>
internal interface IProviderStatement
{
    DbConnection? Connection { get; set; }

    DbTransaction? Transaction { get; set; }

    /// <summary>Whether it may leave a transaction open that was not begun through the provider's methods.</summary>
    bool MayBegin { get; }

    void Cancel();
}
