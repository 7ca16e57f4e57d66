// The types of the work street as they run on the machine. Who wants the model of the checker names its type parameter.
global using BlockerEntry = AdaptivePool.Blocking.BlockerEntry<AdaptivePool.Internal.RealSync>;
global using BlockerTable = AdaptivePool.Blocking.BlockerTable<AdaptivePool.Internal.RealSync>;
global using BlockingMonitor = AdaptivePool.Blocking.BlockingMonitor<AdaptivePool.Internal.RealSync>;
global using WorkerReading = AdaptivePool.Blocking.WorkerReading<AdaptivePool.Internal.RealSync>;
global using WorkerReadings = AdaptivePool.Blocking.WorkerReadings<AdaptivePool.Internal.RealSync>;
global using ClassCore = AdaptivePool.Classes.ClassCore<AdaptivePool.Internal.RealSync>;
global using Generation = AdaptivePool.Classes.Generation<AdaptivePool.Internal.RealSync>;
global using ServiceTimeHistogram = AdaptivePool.Classes.ServiceTimeHistogram<AdaptivePool.Internal.RealSync>;
global using OwedWake = AdaptivePool.Workers.OwedWake<AdaptivePool.Internal.RealSync>;
global using PoolEnd = AdaptivePool.Workers.PoolEnd<AdaptivePool.Internal.RealSync>;
global using StarterLoop = AdaptivePool.Workers.StarterLoop<AdaptivePool.Internal.RealSync>;
global using ThreadSource = AdaptivePool.Workers.ThreadSource<AdaptivePool.Internal.RealSync>;
global using Worker = AdaptivePool.Workers.Worker<AdaptivePool.Internal.RealSync>;
global using WorkerSet = AdaptivePool.Workers.WorkerSet<AdaptivePool.Internal.RealSync>;
