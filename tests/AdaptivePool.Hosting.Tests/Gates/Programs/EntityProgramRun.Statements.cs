using Microsoft.EntityFrameworkCore;

namespace AdaptivePool.Hosting.Tests.Gates.Programs;

/// <content>Statements.</content>
internal sealed partial class EntityProgramRun
{
    private int NextId(int owner) => (owner * ProgramContext.Ids) + 100 + ++_added;

    private async Task WriteAsync(ProgramContext context, int owner, EntityStep step)
    {
        int first = EntityProgram.First(owner);
        IEnumerable<ProgramRow> local = context.Rows.Local.OrderBy(static row => row.Id);
        switch (step.Action)
        {
            case EntityAction.Add:
                context.AddRange(Enumerable.Range(0, 1 + (step.Choice % 3))
                    .Select(_ => new ProgramRow { Id = NextId(owner), Owner = owner, Value = step.Choice }));
                break;
            case EntityAction.AddTwice:
                context.Add(new ProgramRow { Id = first, Owner = owner });
                break;
            case EntityAction.AddLost:
                context.Add(new ProgramPart { Id = NextId(owner) * 2, RowId = first + 800 });
                break;
            case EntityAction.Change:
                local.Skip(step.Other % 3).FirstOrDefault()?.Value += 1;
                break;
            case EntityAction.ChangeLost:
                context.Update(new ProgramRow { Id = first + 700, Owner = owner, Stamp = 1 });
                break;
            case EntityAction.Remove:
                context.RemoveRange(local.Take(1));
                break;
            case EntityAction.Clear:
                context.ChangeTracker.Clear();
                break;
            case EntityAction.Save:
                Say(step.IsAsync ? await context.SaveChangesAsync(Token(step, context)) : context.SaveChanges());
                break;
            default:
                context.Database.AutoTransactionBehavior = (AutoTransactionBehavior)(step.Choice % 3);
                context.Database.AutoSavepointsEnabled = step.Other % 2 == 0;
                break;
        }
    }

    private async Task ExecuteAsync(ProgramContext context, int owner, IQueryable<ProgramRow> own, EntityStep step)
    {
        CancellationToken token = Token(step, context);
        switch (step.Action)
        {
            case EntityAction.Query or EntityAction.SplitQuery:
                IQueryable<ProgramRow> rows = step.Action == EntityAction.Query ? own : WithParts(own);
                Say(step.IsAsync ? await rows.ToListAsync(token) : [.. rows]);
                break;
            case EntityAction.CanConnect:
                Say(step.IsAsync ? await context.Database.CanConnectAsync(token) : context.Database.CanConnect());
                break;
            case EntityAction.Scalar:
                Say(step.IsAsync ? await own.SumAsync(static row => row.Value, token) : own.Count());
                Say((step.IsAsync ? await own.LastOrDefaultAsync(token) : own.FirstOrDefault())?.Value);
                break;
            case EntityAction.Update:
                Say(step.IsAsync
                    ? await own.ExecuteUpdateAsync(static set => set.SetProperty(static row => row.Value, static row => row.Value + 2), token)
                    : own.ExecuteUpdate(static set => set.SetProperty(static row => row.Value, 1)));
                break;
            case EntityAction.Delete:
                int kept = EntityProgram.First(owner) + (step.Choice % 7 == 0 ? 0 : 50);
                IQueryable<ProgramRow> gone = own.Where(row => row.Id > kept);
                Say(step.IsAsync ? await gone.ExecuteDeleteAsync(token) : gone.ExecuteDelete());
                break;
            case EntityAction.Sql:
                string sql = EntityProgram.Sql(step.Choice, owner);
                Say(step.IsAsync ? await context.Database.ExecuteSqlRawAsync(sql, token) : context.Database.ExecuteSqlRaw(sql));
                break;
            case EntityAction.SqlQuery:
                // The first fails after some rows.
                IQueryable<int> values = context.Database.SqlQueryRaw<int>(step.Choice % 5 == 0
                    ? "SELECT 6 / (n - 3) AS \"Value\" FROM generate_series(1, 3) AS n" : $"SELECT value AS \"Value\" FROM rows WHERE owner = {owner}");
                Say(step.IsAsync ? (await values.ToListAsync(token)).Sum() : values.Sum());
                break;
            default:
                await CancelRunningAsync(context, owner, step);
                break;
        }
    }

    private static IQueryable<ProgramRow> WithParts(IQueryable<ProgramRow> rows) =>
        rows.Include(static row => row.Parts.OrderBy(static part => part.Id)).AsSplitQuery();

    private async Task CancelRunningAsync(ProgramContext context, int owner, EntityStep step)
    {
        using var cancelled = new CancellationTokenSource();
        string sql = $"SELECT {owner} AS \"Value\" FROM pg_sleep(60)";
        Task running = step.Choice % 2 == 0 ? context.Database.ExecuteSqlRawAsync(sql, cancelled.Token)
            : context.Database.SqlQueryRaw<int>(sql).ToListAsync(cancelled.Token);
        while (!running.IsCompleted && !await bench.SleepsAsync(owner))
        {
            await Task.Yield();
        }

        await cancelled.CancelAsync();
        await running;
    }

    private void Say(List<ProgramRow> rows) =>
        Say(string.Join(" ", rows.Select(static row => $"{row.Id}:{row.Value}:{row.Stamp}:{string.Join("+", row.Parts.Select(static part => part.Id))}")));

    /// <summary>Rows that are read one by one, with other steps in between.</summary>
    private async Task StreamAsync(ProgramContext context, int slot, EntityStep step)
    {
        if (step.Action != EntityAction.NextOfStream && _streams[slot] is { } before)
        {
            _streams[slot] = null;
            await before.DisposeAsync();
        }

        if (step.Action == EntityAction.Stream)
        {
            IQueryable<ProgramRow> rows = step.Choice % 3 == 0 ? WithParts(_rows[slot]) : _rows[slot];
            _streams[slot] = (step.IsAsync ? rows.AsAsyncEnumerable() : rows.AsEnumerable().ToAsyncEnumerable()).GetAsyncEnumerator(Token(step, context));
        }

        // The statement of a stream runs with its first row, so a new one may wait for that.
        if (_streams[slot] is { } stream && !(step.Action == EntityAction.Stream && step.Choice % 4 == 1))
        {
            Say(await stream.MoveNextAsync() ? stream.Current.Id : "no row");
        }
    }
}
