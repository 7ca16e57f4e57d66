using System.Globalization;
using System.Reflection;

namespace AdaptivePool.Tests.Architecture;

/// <summary>The exported types and members of an assembly as sorted lines.</summary>
internal static class PublicSurface
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly NullabilityInfoContext s_nullability = new();

    public static IEnumerable<string> Lines(Assembly assembly)
    {
        foreach (Type type in assembly.GetExportedTypes().OrderBy(t => t.FullName, StringComparer.Ordinal))
        {
            yield return Header(type);
            IEnumerable<string> members = type.IsEnum
                ? type.GetFields(BindingFlags.Public | BindingFlags.Static)
                    .Select(f => $"{f.Name} = {Convert.ToInt64(f.GetRawConstantValue(), CultureInfo.InvariantCulture)}")
                : type.GetMembers(Declared).Select(Member).OfType<string>();
            foreach (string member in members.Order(StringComparer.Ordinal))
            {
                yield return $"{Name(type)}: {member}";
            }
        }
    }

    private static string Header(Type type)
    {
        string kind = type.IsEnum ? "enum" : type.IsValueType ? "struct" : type.IsInterface ? "interface"
            : type.IsAbstract && type.IsSealed ? "static class" : type.IsAbstract ? "abstract class" : type.IsSealed ? "sealed class" : "class";
        IEnumerable<string> bases = type.GetInterfaces().Where(i => i.IsPublic).Select(Name).Order(StringComparer.Ordinal);
        if (type.BaseType is { } parent && parent != typeof(object) && parent != typeof(ValueType) && parent != typeof(Enum))
        {
            bases = bases.Prepend(Name(parent));
        }

        string list = string.Join(", ", bases);
        return $"{kind} {type.Namespace}.{Name(type)}" + (list.Length == 0 || type.IsEnum ? "" : " : " + list);
    }

    private static string? Member(MemberInfo member) => member switch
    {
        MethodInfo { IsSpecialName: false } m when IsVisible(m) && !IsCompilerGenerated(m) =>
            $"{Modifiers(m)}{Shown(m.ReturnParameter)} {m.Name}{Generics(m)}({Parameters(m)})",
        MethodInfo { IsSpecialName: true } m when IsVisible(m) && m.Name.StartsWith("op_", StringComparison.Ordinal) && !IsCompilerGenerated(m) =>
            $"{Modifiers(m)}{Shown(m.ReturnParameter)} {m.Name}({Parameters(m)})",
        ConstructorInfo c when IsVisible(c) && !IsCompilerGenerated(c) => $"{Modifiers(c)}new({Parameters(c)})",
        PropertyInfo p when IsVisible(p.GetMethod) || IsVisible(p.SetMethod) =>
            $"{Modifiers((p.GetMethod ?? p.SetMethod)!)}{Nullable(Name(p.PropertyType), s_nullability.Create(p).ReadState)} {p.Name} {{ "
                + $"{(IsVisible(p.GetMethod) ? "get; " : "")}{Setter(p)}}}",
        EventInfo e when IsVisible(e.AddMethod) => $"event {Name(e.EventHandlerType!)} {e.Name}",
        FieldInfo { IsSpecialName: false } f when f.IsPublic || f.IsFamily || f.IsFamilyOrAssembly
            => $"{(f.IsLiteral ? "const " : f.IsStatic ? "static " : "")}{Name(f.FieldType)} {f.Name}",
        _ => null,
    };

    private static string Setter(PropertyInfo property) => !IsVisible(property.SetMethod) ? ""
        : property.SetMethod!.ReturnParameter.GetRequiredCustomModifiers().Any(m => m.Name == "IsExternalInit") ? "init; " : "set; ";

    private static bool IsVisible(MethodBase? method) => method is { IsPublic: true } or { IsFamily: true } or { IsFamilyOrAssembly: true };

    /// <summary>What every record has by itself says nothing about our surface.</summary>
    private static bool IsCompilerGenerated(MethodBase method) => method.GetCustomAttributes().Any(a => a.GetType().Name == "CompilerGeneratedAttribute");

    private static string Modifiers(MethodBase method) =>
        (method.IsFamily || method.IsFamilyOrAssembly ? "protected " : "") + (method.IsStatic ? "static " : "")
        + (method is MethodInfo m && m.GetBaseDefinition() != m ? "override " : method.IsAbstract ? "abstract " : method.IsVirtual && !method.IsFinal
            ? "virtual " : "");

    private static string Generics(MethodInfo method) => method.IsGenericMethod ? $"<{string.Join(", ", method.GetGenericArguments().Select(a => a.Name))}>"
        : "";

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(p =>
        $"{(p.IsOut ? "out " : p.IsIn ? "in " : p.ParameterType.IsByRef ? "ref " : "")}{Shown(p)} "
            + $"{p.Name}{(p.HasDefaultValue ? " = " + (p.DefaultValue ?? "default") : "")}"));

    private static string Shown(ParameterInfo parameter) => Nullable(Name(parameter.ParameterType), s_nullability.Create(parameter).ReadState);

    private static string Nullable(string name, NullabilityState state) => state == NullabilityState.Nullable && !name.EndsWith('?') ? name + "?" : name;

    private static string Name(Type type)
    {
        if (type.IsByRef)
        {
            return Name(type.GetElementType()!);
        }

        if (type.IsArray)
        {
            return Name(type.GetElementType()!) + "[]";
        }

        if (System.Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return Name(underlying) + "?";
        }

        string name = type.IsGenericParameter || !type.IsNested ? type.Name : Name(type.DeclaringType!) + "." + type.Name;
        int arity = name.IndexOf('`', StringComparison.Ordinal);
        return arity < 0 ? name : $"{name[..arity]}<{string.Join(", ", type.GetGenericArguments().Select(Name))}>";
    }
}
