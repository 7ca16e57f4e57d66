namespace AdaptivePool.Stacks;

/// <summary>The origin of the code of a frame of a stack.</summary>
internal enum CodeOrigin
{
    /// <summary>The runtime, ASP.NET Core, and packages that carry its names.</summary>
    Framework,

    /// <summary>This pool.</summary>
    Pool,

    /// <summary>A package: a driver, a mapper, a client.</summary>
    Package,

    /// <summary>Code that is made while the program runs, without a name from its source.</summary>
    Generated,

    /// <summary>The program itself.</summary>
    Application,

    /// <summary>A package or the program itself: the program does not record which assemblies came in packages.</summary>
    Unknown,
}
