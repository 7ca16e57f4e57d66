using System.Globalization;

namespace AdaptivePool.Balancing;

/// <summary>
/// The status of a gRPC call. Over HTTP the answer to a call that has failed has the status 200, and the status of the call in a header of its own. It is among
/// the headers of the answer where the backend has sent no message, and in the trailers otherwise.
/// </summary>
public static class GrpcStatus
{
    /// <summary>The name of the header.</summary>
    public const string HeaderName = "grpc-status";

    private const int Ok = 200;

    /// <summary>The statuses of HTTP, by the number of the status of gRPC (google.rpc.Code).</summary>
    private static readonly int[] s_http = [Ok, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401];

    /// <summary>Gets the status of HTTP that says what an answer means, for a gRPC call too: 503 for UNAVAILABLE, 429 for RESOURCE_EXHAUSTED.</summary>
    /// <param name="status">The status of the answer over HTTP.</param>
    /// <param name="grpcStatus">The value of the header among the headers of the answer; <see langword="null"/> if it is not there.</param>
    /// <returns><paramref name="status"/> if it is not 200, or if <paramref name="grpcStatus"/> is not a known number.</returns>
    public static int ToHttp(int status, string? grpcStatus) =>
        status == Ok && int.TryParse(grpcStatus, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number < s_http.Length
            ? s_http[number] : status;
}
