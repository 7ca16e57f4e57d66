namespace AdaptivePool.Stacks;

/// <summary>Whose code a frame of a stack is.</summary>
internal enum CodeOrigin
{
    /// <summary>The runtime's, ASP.NET Core's, and packages that carry its names.</summary>
    Framework,

    /// <summary>This pool's.</summary>
    Pool,

    /// <summary>Of a package: a driver, a mapper, a client.</summary>
    Package,

    /// <summary>Made while the program runs, without a name that its source has.</summary>
    Generated,

    /// <summary>The program's own.</summary>
    Application,

    /// <summary>A package's or the program's own: the program does not tell which assemblies came in packages.</summary>
    Unknown,
}
