return AdaptivePool.Tests.Faults.ChildLoad.Run(args);
