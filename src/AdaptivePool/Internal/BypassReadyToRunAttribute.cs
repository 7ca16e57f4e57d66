namespace System.Runtime;

/// <summary>
/// Leaves a method out of the machine code in the package (ADR 58), so that the runtime compiles it from its first call on. It is for methods that run for
/// each item.
/// </summary>
/// <remarks>
/// In code that comes compiled the calls are inlined already, so the runtime never counts how often they are made and with which types. The code that it
/// creates once such a method is hot is 5 to 13 % slower an item than the code of a method that the runtime has compiled itself from the start. The compiler
/// of the package knows the attribute by this name and namespace, in any assembly.
/// </remarks>
[AttributeUsage(AttributeTargets.Method, Inherited = false)]
internal sealed class BypassReadyToRunAttribute : Attribute;
