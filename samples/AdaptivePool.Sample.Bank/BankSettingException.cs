namespace AdaptivePool.Sample.Bank;

/// <summary>The configuration asks for something that is not possible; the message names the setting, its value and what is allowed.</summary>
public sealed class BankSettingException(string message, Exception? innerException = null) : Exception(message, innerException);
