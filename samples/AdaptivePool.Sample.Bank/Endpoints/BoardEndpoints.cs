using AdaptivePool.Sample.Bank.Show;
using Microsoft.AspNetCore.Http.HttpResults;

namespace AdaptivePool.Sample.Bank.Endpoints;

/// <summary>The page that shows pools under blocking load, and what it asks.</summary>
internal static class BoardEndpoints
{
    private const string Page = "AdaptivePool.Sample.Bank.Show.board.html";

    /// <summary>Everything of the page. It stays outside the pool that it watches.</summary>
    public static void MapBoard(this WebApplication app)
    {
        app.MapGet("/", GetPage).DisableAdaptivePool();
        app.MapGet("/board", (Board board) => TypedResults.Ok(board.Read())).DisableAdaptivePool();
        app.MapPost("/board/start", Start).DisableAdaptivePool();
    }

    private static FileStreamHttpResult GetPage()
        => TypedResults.Stream(typeof(BoardEndpoints).Assembly.GetManifestResourceStream(Page)!, "text/html; charset=utf-8");

    private static Results<Accepted, ProblemHttpResult> Start(Board board, int partner = 0, int legacy = 0, int seconds = BoardLoad.DefaultSeconds,
        string? bank = null)
    {
        BoardLoad load = new(partner, legacy, seconds);
        if (load.Validate() is { } wrong)
        {
            return TypedResults.Problem(wrong, statusCode: StatusCodes.Status400BadRequest);
        }

        return board.Start(load, bank) switch
        {
            BoardStart.Started => TypedResults.Accepted("/board"),
            BoardStart.UnknownBank => TypedResults.Problem($"There is no bank '{bank}'.", statusCode: StatusCodes.Status404NotFound),
            _ => TypedResults.Problem("A load is still running.", statusCode: StatusCodes.Status409Conflict),
        };
    }
}
