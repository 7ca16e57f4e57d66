namespace AdaptivePool.Hosting.Tests.Gates.Programs;

/// <summary>One step of a program. Which objects it means and what it does with them follows from small numbers, so that a program without some of its steps is
/// a program too.</summary>
/// <param name="Action">What it does.</param>
/// <param name="Slot">The context.</param>
/// <param name="Other">Another one, or the connection that the context is given.</param>
/// <param name="Choice">A detail.</param>
/// <param name="IsAsync">Whether it calls the asynchronous member.</param>
/// <param name="IsCancelled">Whether its token is cancelled.</param>
/// <param name="Fails">Whether an interceptor of the application throws.</param>
internal readonly record struct EntityStep(EntityAction Action, int Slot, int Other, int Choice, bool IsAsync, bool IsCancelled, bool Fails);
