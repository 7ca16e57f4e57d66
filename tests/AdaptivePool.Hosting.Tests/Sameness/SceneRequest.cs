namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>A request of a scene.</summary>
/// <param name="Name">Its name in the scene.</param>
/// <param name="Path">Where it goes.</param>
/// <param name="How">What its client does.</param>
/// <param name="IsKnown">Whether it says who it is, and what it accepts.</param>
internal sealed record SceneRequest(string Name, string Path, SceneRequest.Kind How, bool IsKnown)
{
    public enum Kind
    {
        Get,
        Head,
        Post,
        PostForm,

        /// <summary>Waits for the server to ask for the body.</summary>
        PostExpected,

        /// <summary>Sends the body in parts.</summary>
        PostSlowly,

        /// <summary>Asks what it may do from another site.</summary>
        Options,

        /// <summary>Leaves when the handler waits.</summary>
        Leave,
        Socket,

        /// <summary>Opens a socket and leaves in the middle.</summary>
        LeaveSocket,

        /// <summary>Gets its answer only when another request of the round has come.</summary>
        Wait,

        /// <summary>Gets its answer when the app begins to stop.</summary>
        Last,
    }
}
