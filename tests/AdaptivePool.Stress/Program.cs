return AdaptivePool.Stress.StressCommand.Run(args, Console.Out);
