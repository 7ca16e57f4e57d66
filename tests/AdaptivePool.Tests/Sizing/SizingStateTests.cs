using System.Reflection;
using AdaptivePool.Control;
using AdaptivePool.Dispatch;
using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <summary>How much a class's sizing remembers from tick to tick: what can get out of step with something else.</summary>
public class SizingStateTests
{
    // Lower it when something goes.
    private const int MostFields = 47;

    [Fact]
    public void MutableFields_OfOneClass_AreNoMoreThanTheyWere()
    {
        AdaptivePoolOptions options = new();

        // It makes its search when it is first asked; until then what the search remembers would not be seen.
        HillClimbingController controller = new();
        controller.Reinitialize(2, DecisionReason.Initial);
        ClassSizing sizing = new(new ClassCore("class", 2, isInFlight: false), 100, controller, options);

        string[] fields = [.. MutableFields(sizing).Order(StringComparer.Ordinal)];

        fields.ShouldContain(static field => field.StartsWith(nameof(AdaptiveSearch), StringComparison.Ordinal));
        fields.Length.ShouldBeLessThanOrEqualTo(MostFields, string.Join('\n', fields));
    }

    // Of each object, also where there are several of a kind. A field that is written after the constructor (what a primary constructor takes is not), and one
    // for each type of element of what is held in an array or a list. What the class shares with others, and what is set once, has no part in it.
    private static List<string> MutableFields(object root)
    {
        List<string> found = [];
        HashSet<object> seen = new(ReferenceEqualityComparer.Instance);
        Queue<object> open = new([root]);
        while (open.TryDequeue(out object? item))
        {
            if (!seen.Add(item) || item is ClassCore or string or Delegate)
            {
                continue;
            }

            for (Type? type = item.GetType(); type is not null && type.Assembly == typeof(ClassSizing).Assembly; type = type.BaseType)
            {
                foreach (FieldInfo field in type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
                {
                    Add(found, open, field, field.GetValue(item), $"{type.Name}.{field.Name}");
                }
            }
        }

        return found;
    }

    private static void Add(List<string> found, Queue<object> open, FieldInfo field, object? value, string name)
    {
        bool isOwn = field.FieldType.Assembly == typeof(ClassSizing).Assembly;
        if (field.FieldType.IsArray || value is System.Collections.IList)
        {
            found.Add($"{name} (elements)");
            if (value is IEnumerable<object> elements && elements.FirstOrDefault() is { } element && element.GetType().Assembly == typeof(ClassSizing).Assembly)
            {
                open.Enqueue(element);
            }
        }
        else if (!field.IsInitOnly && !field.Name.EndsWith(">P", StringComparison.Ordinal))
        {
            // A structure of ours counts for each of its parts.
            string[] parts = isOwn && field.FieldType is { IsValueType: true, IsEnum: false }
                ? [.. field.FieldType.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic).Select(part => $"{name}.{part.Name}")]
                : [name];
            found.AddRange(parts);
        }

        if (isOwn && !field.FieldType.IsValueType && value is not null)
        {
            open.Enqueue(value);
        }
    }
}
