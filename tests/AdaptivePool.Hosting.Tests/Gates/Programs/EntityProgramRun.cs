using System.Data;
using System.Data.Common;
using System.Globalization;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Storage;
using Npgsql;

namespace AdaptivePool.Hosting.Tests.Gates.Programs;

/// <summary>Runs a program on contexts, and notes what an application sees.</summary>
internal sealed partial class EntityProgramRun(EntityProgramBench bench, int contexts)
{
    private readonly int[] _owners = new int[contexts];

    // Made once: an application may run them when their context is disposed.
    private readonly IQueryable<ProgramRow>[] _rows = new IQueryable<ProgramRow>[contexts];
    private readonly IDbContextTransaction?[] _transactions = new IDbContextTransaction?[contexts];
    private readonly DbTransaction?[] _outside = new DbTransaction?[bench.Given.Length];
    private readonly List<object> _left = [];
    private readonly List<string> _said = [];
    private ProgramContext?[] _contexts = new ProgramContext?[contexts];
    private IAsyncEnumerator<ProgramRow>?[] _streams = new IAsyncEnumerator<ProgramRow>?[contexts];
    private IDbContextTransaction?[] _begun = new IDbContextTransaction?[contexts];
    private int _added;

    /// <summary>How many transactions may be open of which no context knows.</summary>
    private int _lost;

    /// <summary>Whether nobody else uses the gates meanwhile.</summary>
    public bool IsAlone { get; init; } = true;

    /// <summary>Runs the steps, and disposes what they leave.</summary>
    public async Task<List<string>> RunAsync(IEnumerable<EntityStep> steps)
    {
        List<string> notes = [];
        foreach (EntityStep step in steps)
        {
            // Not on a disposed context: a query of it may leave its connection open, with its permit if an interceptor throws as its reader closes.
            if (step.Fails && Is(_contexts[step.Slot % _contexts.Length], static _ => true))
            {
                string name = EntityProgram.FailingEvent(step);

                // The page says what happens where one throws between the begin of the gate and that of the framework.
                bool isLast = name == "TransactionStarted" || (step.Choice % 4 < 2 && name != "TransactionStarting");
                bench.Fail(name, isLast, step.Choice % 3 == 0 ? new TimeoutException(name) : new NotSupportedException(name));
            }

            if (step.Action is EntityAction.Commit or EntityAction.RollBack or EntityAction.DisposeTransaction or EntityAction.UseTransaction
                or EntityAction.EndGiven)
            {
                // After these it is only the gate that knows whether a transaction holds its permit.
                Array.Clear(_begun);
            }

            await RunAsync(step);
            bench.FailNoMore();
            SayStates();
            SayPermits();
            notes.Add(Take(step.ToString()));
        }

        foreach (object each in ((object?[])[.. _streams, .. _left, .. _transactions, .. _outside, .. _contexts, .. bench.Given]).OfType<object>())
        {
            await DoAsync(() => ((IAsyncDisposable)each).DisposeAsync().AsTask());
        }

        (_contexts, _streams, _begun, _lost) = ([], [], [], 0);
        SayPermits();
        notes.Add(Take("end"));
        return notes;
    }

    private static Task Done(Action call)
    {
        call();
        return Task.CompletedTask;
    }

    private static bool IsOpen(DatabaseFacade database) => database.GetDbConnection().State == ConnectionState.Open;

    private static bool IsInside(DatabaseFacade database) => database.CurrentTransaction is not null;

    private static bool Is(ProgramContext? context, Func<DatabaseFacade, bool> what)
    {
        try
        {
            return context is not null && what(context.Database);
        }
        catch (ObjectDisposedException)
        {
            return false;
        }
    }

    // Whether opening looks at it first, depends on what the provider's pool has. And Npgsql loses track of what the server sends if a statement is cancelled
    // beside an open reader.
    private static CancellationToken Token(EntityStep step, ProgramContext context) =>
        new(step.IsCancelled && Is(context, static it => ((NpgsqlConnection)it.GetDbConnection()).FullState == ConnectionState.Open));

    private static string Describe(Exception exception) => exception switch
    {
        OperationCanceledException => nameof(OperationCanceledException),
        ObjectDisposedException => nameof(ObjectDisposedException),
        PostgresException postgres => $"PostgresException {postgres.SqlState}",
        NpgsqlException => exception.GetType().Name,
        DbUpdateException or RetryLimitExceededException =>
            $"{exception.GetType().Name} of {(exception.InnerException is { } inner ? Describe(inner) : "none")}",
        _ => $"{exception.GetType().Name}: {exception.Message}",
    };

    private Task RunAsync(EntityStep step)
    {
        int slot = step.Slot % _contexts.Length;
        int given = step.Other % bench.Given.Length;
        ProgramContext? context = _contexts[slot];
        return step.Action switch
        {
            EntityAction.Create => CreateAsync(slot, given, step.Choice % 6),
            EntityAction.DisposeContext => With(context, it => step.IsAsync ? it.DisposeAsync().AsTask() : Done(it.Dispose)),
            EntityAction.OpenConnection => With(context, it => step.IsAsync ? it.Database.OpenConnectionAsync() : Done(it.Database.OpenConnection)),
            EntityAction.CloseConnection => With(context, it => step.IsAsync ? it.Database.CloseConnectionAsync() : Done(it.Database.CloseConnection)),
            EntityAction.OpenGiven => With(bench.Given[given], it => step.IsAsync ? it.OpenAsync() : Done(it.Open)),
            EntityAction.CloseGiven => With(bench.Given[given], it => step.IsAsync ? it.CloseAsync() : Done(it.Close)),
            EntityAction.BeginGiven => With(bench.Given[given], async it => Keep(_outside, given, await it.BeginTransactionAsync())),
            EntityAction.EndGiven => With(_outside[given], it => step.Choice % 2 == 0 ? it.CommitAsync() : it.RollbackAsync()),
            EntityAction.Scope => DoAsync(() => ScopeAsync(step)),
            EntityAction.Enlist => DoAsync(() => EnlistAsync(step)),
            EntityAction.Strategy => With(context, it => StrategyAsync(it, _owners[slot], step)),
            EntityAction.UseTransaction => With(context, it => ShareAsync(it, slot, given, step)),
            >= EntityAction.Begin and <= EntityAction.Savepoint => With(context, it => TransactAsync(it, slot, step)),
            >= EntityAction.Add and <= EntityAction.Behave => With(context, it => WriteAsync(it, _owners[slot], step)),
            EntityAction.Stream or EntityAction.NextOfStream or EntityAction.EndOfStream => With(context, it => StreamAsync(it, slot, step)),
            _ => With(context, it => ExecuteAsync(it, _owners[slot], _rows[slot], step)),
        };
    }

    private async Task CreateAsync(int slot, int given, int kind)
    {
        if (_contexts[slot] is { } before)
        {
            await DoAsync(() => before.DisposeAsync().AsTask());
        }

        bool isGiven = kind is 2 or 3;
        int owner = bench.FirstOwner + (isGiven ? given : bench.Given.Length + slot);
        ProgramContext context = kind switch
        {
            4 => bench.CreatePooled(),
            5 => bench.Create(batch: 1),
            _ => bench.Create(isGiven ? bench.Given[given] : null, retries: kind is 1 or 3),
        };
        (_contexts[slot], _owners[slot]) = (context, owner);
        _rows[slot] = context.Rows.Where(row => row.Owner == owner).OrderBy(static row => row.Id);
    }

    private void SayStates()
    {
        foreach (ProgramContext context in _contexts.OfType<ProgramContext>())
        {
            Try(() => $"| context {context.Database.GetDbConnection().State} {(IsInside(context.Database) ? "inside" : "outside")}");
            Try(() => string.Join(" ", context.ChangeTracker.Entries().Select(static entry => $"{entry.Metadata.ShortName()} "
                + $"{entry.Property("Id").CurrentValue} {entry.State} {entry.Property("Value").CurrentValue}").Order(StringComparer.Ordinal)));
        }

        Say($"| given {string.Join(" ", bench.Given.Select(static it => it.State))}");
    }

    /// <summary>The permits that are out are those of what is open. Of the end of some queries the framework does not tell: the page names them.</summary>
    private void SayPermits()
    {
        int most = _contexts.Count(static it => Is(it, IsInside)) + _streams.Count(static it => it is not null) + _lost
            + (bench.Counts ? _contexts.Count(static it => Is(it, IsOpen)) : 0);
        int least = bench.Flows ? 0 : _contexts
            .Where((it, i) => _begun[i] is { } begun && Is(it, IsOpen) && ReferenceEquals(begun, it!.Database.CurrentTransaction))
            .Select(static it => it!.Database.GetDbConnection()).Distinct().Count();
        foreach (int held in bench.Held)
        {
            if (IsAlone && (held < least || held > most))
            {
                Say($"{held} permits are out for {least} to {most}");
            }
        }
    }

    private string Take(string step)
    {
        string note = $"{step} {string.Join("; ", _said)} ({string.Join(", ", bench.TakeEvents())})";
        _said.Clear();
        return note;
    }

    private void Keep<T>(T?[] all, int slot, T kept)
        where T : class
    {
        if (all[slot] is { } before)
        {
            _left.Add(before);
        }

        all[slot] = kept;
    }

    private void Say(object? value) => _said.Add(Convert.ToString(value, CultureInfo.InvariantCulture) ?? "null");

    /// <summary>Calls an object, if there is one.</summary>
    private Task With<T>(T? called, Func<T, Task> call)
        where T : class => called is null ? Done(() => Say("none")) : DoAsync(() => call(called));

    private async Task DoAsync(Func<Task> call)
    {
        try
        {
            await call();
            Say("done");
        }
        catch (Exception exception)
        {
            Say(Describe(exception));
        }
    }

    private void Try(Func<object?> call)
    {
        try
        {
            Say(call());
        }
        catch (Exception exception)
        {
            Say(Describe(exception));
        }
    }
}
