using System.Reflection;
using Microsoft.EntityFrameworkCore.Diagnostics;

namespace AdaptivePool.Hosting.Tests.Gates.Programs;

/// <summary>An interceptor that is told of everything, and changes nothing.</summary>
internal class ProgramEvents : DispatchProxy
{
    private Action<string> _told = static _ => { };

    /// <summary>Makes one.</summary>
    /// <param name="told">Called with the name of each member that the framework calls. What it throws, the interceptor throws.</param>
    public static IInterceptor Create(Action<string> told)
    {
        IProgramEvents created = Create<IProgramEvents, ProgramEvents>();
        ((ProgramEvents)created)._told = told;
        return created;
    }

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
    {
        _told(targetMethod!.Name);
        Type result = targetMethod.ReturnType;
        if (result == typeof(void))
        {
            return null;
        }

        if (result == typeof(Task))
        {
            return Task.CompletedTask;
        }

        bool isAsync = result.IsGenericType && result.GetGenericTypeDefinition() == typeof(ValueTask<>);
        Type value = isAsync ? result.GetGenericArguments()[0] : result;
        object? given = args![Array.FindLastIndex(targetMethod.GetParameters(), parameter => parameter.ParameterType == value)];
        return isAsync ? result.GetConstructor([value])!.Invoke([given]) : given;
    }
}
