return AdaptivePool.Mutation.MutationCommand.Run(args, Console.Out);
