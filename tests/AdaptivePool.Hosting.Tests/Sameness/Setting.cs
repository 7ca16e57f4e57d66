namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>How a scene is run.</summary>
/// <param name="Server">"test", or the version of HTTP that Kestrel speaks.</param>
/// <param name="Pool">What the pool does.</param>
/// <param name="MaxThreads">Its most threads; null for the default.</param>
internal sealed record Setting(string Server, Setting.Use Pool, int? MaxThreads = null)
{
    public const string TestServer = "test";

    public enum Use
    {
        None,

        /// <summary>Requests run on workers.</summary>
        NoGuests,

        /// <summary>Requests run on workers until their class has guests.</summary>
        Guests,

        /// <summary>Classes have guests before the first request of the scene.</summary>
        GuestsFromTheStart,
    }

    public bool HasPool => Pool != Use.None;
}
