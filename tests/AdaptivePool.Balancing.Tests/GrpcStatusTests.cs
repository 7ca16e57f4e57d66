namespace AdaptivePool.Balancing.Tests;

public sealed class GrpcStatusTests
{
    [Theory]
    [InlineData(200, null, 200)]
    [InlineData(200, "0", 200)]
    [InlineData(200, "5", 404)]
    [InlineData(200, "8", 429)]
    [InlineData(200, "14", 503)]
    [InlineData(200, "16", 401)]
    [InlineData(200, "17", 200)]
    [InlineData(200, "-1", 200)]
    [InlineData(200, "what", 200)]
    [InlineData(404, "14", 404)]
    public void ToHttp_Each_IsWhatMeansTheSame(int status, string? grpc, int expected) => GrpcStatus.ToHttp(status, grpc).ShouldBe(expected);
}
