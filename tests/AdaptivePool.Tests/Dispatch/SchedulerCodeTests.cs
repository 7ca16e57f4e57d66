using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>What is remembered of the types of items does not keep them: the code of a plugin can be unloaded while the pool lives.</summary>
public sealed class SchedulerCodeTests : PoolTest
{
    [Fact]
    public void Items_OfCodeThatCanBeUnloaded_DoNotKeepIt()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "host" });
        WeakReference plugin = RunPlugin(pool);

        // Nothing else is queued meanwhile, from this thread or another one: it would be remembered instead.
        Eventually.Go(plugin, "the pool keeps no type of an item that has ended");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference RunPlugin(AdaptiveThreadPool pool)
    {
        Type type = Compile();
        object target = Activator.CreateInstance(type)!;
        var action = type.GetMethod("Work")!.CreateDelegate<Action>(target);
        var callback = type.GetMethod("WorkWith")!.CreateDelegate<WaitCallback>(target);
        Eventually.End(pool.Run(action));
        Eventually.End(pool.Factory.StartNew(action));
        Eventually.End(pool.GetClass("plugin").AsSequential().Run(action));
        pool.QueueUserWorkItem(callback, null);
        pool.UnsafeQueueUserWorkItem(callback, null);
        Eventually.Be(pool, static it => it.Completed >= 5 && it.Active == 0, "all have ended");
        return new WeakReference(type);
    }

    /// <summary>A class with a method for each kind of delegate, in an assembly that goes as soon as nobody refers to it.</summary>
    private static Type Compile()
    {
        var assembly = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("plugin"), AssemblyBuilderAccess.RunAndCollect);
        TypeBuilder type = assembly.DefineDynamicModule("plugin").DefineType("Plugin", TypeAttributes.Public);
        type.DefineMethod("Work", MethodAttributes.Public, typeof(void), []).GetILGenerator().Emit(OpCodes.Ret);
        type.DefineMethod("WorkWith", MethodAttributes.Public, typeof(void), [typeof(object)]).GetILGenerator().Emit(OpCodes.Ret);
        return type.CreateType();
    }
}
