// The types of the work street as they run on the machine. Code that uses the model of the checker names its type parameter.
global using BlockerEntry = AdaptivePool.Dispatch.BlockerEntry<AdaptivePool.Internal.RealSync>;
global using BlockerTable = AdaptivePool.Dispatch.BlockerTable<AdaptivePool.Internal.RealSync>;
global using ClassCore = AdaptivePool.Dispatch.ClassCore<AdaptivePool.Internal.RealSync>;
global using Generation = AdaptivePool.Dispatch.Generation<AdaptivePool.Internal.RealSync>;
global using OwedWake = AdaptivePool.Dispatch.OwedWake<AdaptivePool.Internal.RealSync>;
global using PoolEnd = AdaptivePool.Dispatch.PoolEnd<AdaptivePool.Internal.RealSync>;
global using StarterLoop = AdaptivePool.Dispatch.StarterLoop<AdaptivePool.Internal.RealSync>;
global using ThreadSource = AdaptivePool.Dispatch.ThreadSource<AdaptivePool.Internal.RealSync>;
global using Worker = AdaptivePool.Dispatch.Worker<AdaptivePool.Internal.RealSync>;
global using WorkerSet = AdaptivePool.Dispatch.WorkerSet<AdaptivePool.Internal.RealSync>;

// Namespaces that every folder may use, that every folder with decisions refers to, or that one file in ten needs. LayeringTests checks the uses, not these
// lines.
global using AdaptivePool.Control;
global using AdaptivePool.Internal;
global using System.Diagnostics;
global using System.Runtime.CompilerServices;

// For BypassReadyToRun.
global using System.Runtime;
