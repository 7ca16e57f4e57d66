namespace AdaptivePool.Tests.Data.Programs;

/// <summary>One step of a program. Which objects it means and what it does with them follows from small numbers, so that a program without some of its steps is
/// a program too.</summary>
/// <param name="Action">What it does.</param>
/// <param name="Slot">The object.</param>
/// <param name="Other">A second one.</param>
/// <param name="Choice">A detail.</param>
/// <param name="IsAsync">Whether it calls the asynchronous member.</param>
/// <param name="IsCancelled">Whether its token is cancelled.</param>
/// <param name="Fails">Whether the provider fails.</param>
internal readonly record struct DataStep(DataAction Action, int Slot, int Other, int Choice, bool IsAsync, bool IsCancelled, bool Fails);
