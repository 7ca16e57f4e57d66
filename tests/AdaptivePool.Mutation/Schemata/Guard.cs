namespace AdaptivePool.Mutation.Schemata;

/// <summary>The switch that is compiled into the mutated assembly.</summary>
internal static class Guard
{
    public const string TypeName = "AdaptivePool.Internal.MutantSwitch";

    /// <summary>Number of the mutant that is on.</summary>
    public const string ActiveVariable = "ADAPTIVEPOOL_MUTANT";

    /// <summary>A file of a byte per mutant, in memory: those that are reached are marked in it, by this process and those that tests start.</summary>
    public const string RecordVariable = "ADAPTIVEPOOL_MUTANT_RECORD";

    /// <summary>Both fields are static and read-only, so that the optimized code of a mutant that is off is that of the original.</summary>
    public const string Source = $$"""
        namespace AdaptivePool.Internal;

        internal static unsafe class MutantSwitch
        {
            private static readonly byte* s_hits = Map(global::System.Environment.GetEnvironmentVariable("{{RecordVariable}}"));
            private static readonly int s_active =
                int.Parse(global::System.Environment.GetEnvironmentVariable("{{ActiveVariable}}") is { Length: > 0 } id ? id : "-1", null);

            [global::System.Runtime.CompilerServices.MethodImpl(global::System.Runtime.CompilerServices.MethodImplOptions.AggressiveInlining)]
            public static bool Is(int id)
            {
                if (s_hits != null)
                {
                    s_hits[id] = 1;
                }

                return s_active == id;
            }

            private static byte* Map(string? file)
            {
                byte* start = null;
                if (!string.IsNullOrEmpty(file))
                {
                    // For the life of the process.
                    global::System.IO.MemoryMappedFiles.MemoryMappedFile.CreateFromFile(file)
                        .CreateViewAccessor()
                        .SafeMemoryMappedViewHandle.AcquirePointer(ref start);
                }

                return start;
            }
        }
        """;
}
