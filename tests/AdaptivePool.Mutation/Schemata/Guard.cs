namespace AdaptivePool.Mutation.Schemata;

/// <summary>The switch that is compiled into the mutated assembly.</summary>
internal static class Guard
{
    public const string TypeName = "AdaptivePool.Internal.MutantSwitch";
    public const string ActiveVariable = "ADAPTIVEPOOL_MUTANT";
    public const string RecordVariable = "ADAPTIVEPOOL_MUTANT_RECORD";
    public const string HitsField = "Hits";

    /// <summary>Both fields are static and read-only, so that the optimized code of a mutant that is off is that of the original.</summary>
    public const string Source = $$"""
        namespace AdaptivePool.Internal;

        internal static class MutantSwitch
        {
            public static readonly byte[]? {{HitsField}} = global::System.Environment.GetEnvironmentVariable("{{RecordVariable}}") is { Length: > 0 } count ? new byte[int.Parse(count, null)] : null;
            private static readonly int s_active = int.Parse(global::System.Environment.GetEnvironmentVariable("{{ActiveVariable}}") is { Length: > 0 } id ? id : "-1", null);

            [global::System.Runtime.CompilerServices.MethodImpl(global::System.Runtime.CompilerServices.MethodImplOptions.AggressiveInlining)]
            public static bool Is(int id)
            {
                if ({{HitsField}} is not null)
                {
                    {{HitsField}}[id] = 1;
                }

                return s_active == id;
            }
        }
        """;
}
