namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>An app and the requests that it gets, made from a seed.</summary>
internal sealed class Scene
{
    private static readonly Step[] s_steps = [.. FlowSteps.All, .. FlowSteps.All, .. BodySteps.All];
    private readonly Random _random;

    public Scene(int seed)
    {
        Seed = seed;
        _random = new Random(seed);
        Environment = Pick("Production", "Production", "Development");
        Place = Pick(Enum.GetValues<PlaceKind>());
        RoutesByHand = _random.Next(3) == 0;
        HasNotes = _random.Next(3) > 0;
        Part[] outer = [.. OwnParts.All, .. FrameworkParts.All];

        // What such middleware behind the pool sets flows out only where the pool is not: docs/hosting.md, "What runs where".
        Part[] inner = [.. outer.Where(static it => it.Name != OwnParts.SetsAtOnce)];
        Outer = [.. Some(outer, 5)];
        Inner = [.. Some(inner.Except(Outer), 4)];
        Endpoints = [.. Enumerable.Range(0, 6).Select(CreateEndpoint)];
        Rounds = [.. CreateRounds()];
    }

    public enum PlaceKind
    {
        Main,
        Twice,

        /// <summary>In two branches that come back to the main pipeline.</summary>
        Branches,

        /// <summary>In a branch that does not come back, and routes by itself.</summary>
        OwnBranch,
    }

    public int Seed { get; }

    public string Environment { get; }

    public PlaceKind Place { get; }

    public bool RoutesByHand { get; }

    /// <summary>Whether something takes notes between all middleware. It awaits what follows, so that nobody sees the task itself.</summary>
    public bool HasNotes { get; }

    /// <summary>Middleware before the pool.</summary>
    public IReadOnlyList<Part> Outer { get; }

    /// <summary>Middleware behind it.</summary>
    public IReadOnlyList<Part> Inner { get; }

    public IReadOnlyList<SceneEndpoint> Endpoints { get; }

    /// <summary>Requests; those of one round come at once.</summary>
    public IReadOnlyList<IReadOnlyList<SceneRequest>> Rounds { get; }

    public Setting PickSetting(Setting.Use pool, string server) => new(server, pool, Pick<int?>(1, 2, null, null));

    // A timeout needs the endpoint.
    private bool TimesOut => (RoutesByHand || Place == PlaceKind.OwnBranch ? Inner : [.. Outer, .. Inner]).Any(static it => it.Name == "timeouts");

    public T Pick<T>(params T[] from) => from[_random.Next(from.Length)];

    public override string ToString() => $"""
        seed {Seed}, {Environment}, place {Place}{(RoutesByHand ? ", routes by hand" : "")}{(HasNotes ? "" : ", without notes")}
        before: {string.Join(", ", Outer.Select(static it => it.Name))}
        behind: {string.Join(", ", Inner.Select(static it => it.Name))}
        {string.Join('\n', Endpoints)}
        {string.Join('\n', Rounds.Select(static round => string.Join(" | ", round.Select(static it => $"{it.Name} {it.How} {it.Path}"))))}
        """;

    private IEnumerable<Part> Some(IEnumerable<Part> from, int most)
    {
        Part[] shuffled = [.. from];
        _random.Shuffle(shuffled);
        return shuffled.Take(_random.Next(most + 1));
    }

    private SceneEndpoint CreateEndpoint(int index)
    {
        List<Step> steps = [];
        for (int i = _random.Next(1, 7); i > 0; i--)
        {
            steps.Add(Pick(s_steps));
        }

        if (_random.Next(3) == 0)
        {
            steps.Add(Pick(EndSteps.All));
        }

        var how = Pick(Enum.GetValues<SceneEndpoint.Kind>());
        string policy = Pick("", "", "authorized", "few", "cached", "cors", "no antiforgery");

        // The last two wait to be aborted: one by a timeout, one by its client.
        if (index == 4 && how is not (SceneEndpoint.Kind.Terminal or SceneEndpoint.Kind.Action) && TimesOut)
        {
            (steps, policy) = ([EndSteps.WaitForAbort], "timeout");
        }
        else if (index == 5)
        {
            steps = [Pick(EndSteps.WaitForAbort, EndSteps.StartAndWaitForAbort)];
        }
        else if (_random.Next(3) == 0)
        {
            // What a handler throws at once, and the task that it returns.
            steps = [Pick(Pick(s_steps), Pick(EndSteps.All))];
        }

        // Not all requests pass one of the branches, and an endpoint past its gate throws.
        string place = Pick("", "", "", "shared", "disabled", "bounded", "warns", Place == PlaceKind.Branches ? "" : "gate");
        return new SceneEndpoint(index, how, steps, place, policy);
    }

    private IEnumerable<IReadOnlyList<SceneRequest>> CreateRounds()
    {
        bool remembers = Outer.Concat(Inner).Any(static it => it.Remembers);
        int count = 0;
        for (int round = _random.Next(4, 9); round > 0; round--)
        {
            List<SceneRequest> all = [];
            for (int i = remembers ? 1 : Pick(1, 1, 1, 2, 4); i > 0; i--)
            {
                all.Add(Create(ref count));
            }

            yield return all;
        }

        yield return [new($"r{count++}", "/wait", SceneRequest.Kind.Wait, IsKnown: true), new($"r{count++}", "/signal", SceneRequest.Kind.Get, IsKnown: true)];
        yield return [new($"r{count}", "/last", SceneRequest.Kind.Last, IsKnown: true)];
    }

    private SceneRequest Create(ref int count)
    {
        string name = $"r{count++}";
        bool isKnown = _random.Next(2) == 0;
        string other = Pick("/missing", "/page", "/healthy", "/error", "/AdaptivePool.Hosting.Tests.runtimeconfig.json", "/base/0", "/socket", "/socket");
        if (_random.Next(6) == 0)
        {
            return new(name, other, other == "/socket" ? Pick(SceneRequest.Kind.Socket, SceneRequest.Kind.LeaveSocket) : SceneRequest.Kind.Get, isKnown);
        }

        SceneEndpoint endpoint = Endpoints[_random.Next(Endpoints.Count)];
        return new(
            name,
            endpoint.Path + Pick("", "?query=1"),
            endpoint.Index == 5 ? SceneRequest.Kind.Leave
                : Pick(
                    SceneRequest.Kind.Get,
                    SceneRequest.Kind.Get,
                    SceneRequest.Kind.Get,
                    SceneRequest.Kind.Head,
                    SceneRequest.Kind.Post,
                    SceneRequest.Kind.PostForm,
                    SceneRequest.Kind.PostExpected,
                    SceneRequest.Kind.PostSlowly,
                    SceneRequest.Kind.Options),
            isKnown);
    }
}
