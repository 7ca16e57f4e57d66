using AdaptivePool.Dispatch.Items;
using AdaptivePool.Dispatch.Queues;

namespace AdaptivePool.Diagnostics;

/// <summary>What waits in a pool, item by item.</summary>
internal static class QueueRows
{
    /// <summary>
    /// Items that wait, class by class in the order in which its queue would give them of each priority; work in flight first, as workers take it. What is in a
    /// worker's own queue only that worker can list.
    /// </summary>
    /// <param name="set">The workers.</param>
    /// <param name="most">Most rows.</param>
    public static IReadOnlyList<QueuedItemSnapshot> Of(WorkerSet set, int most)
    {
        List<QueuedItemSnapshot> rows = [];

        // Reading costs memory, and of thousands of classes few have work.
        foreach (ClassCore core in set.Classes.Prepend(set.InFlight).TakeWhile(_ => rows.Count < most).Where(static core => !core.Queue.IsEmpty))
        {
            var positions = new Dictionary<(WorkPriority, string?, int?), int>();
            foreach ((WorkPriority priority, string? tenant, int? group, object item) in core.Queue.Waiting.Take(most - rows.Count))
            {
                int position = positions.GetValueOrDefault((priority, tenant, group));
                positions[(priority, tenant, group)] = position + 1;
                rows.Add(new QueuedItemSnapshot
                {
                    ClassName = core.Name,
                    Priority = priority,
                    Tenant = tenant,
                    Group = group,
                    Position = position,
                    Item = Describe(item),
                    Age = (item as BoundedItem)?.Age
                        ?? (core.IsInFlight ? null : core.Queue.Ages.AgeOf(priority, position, QueueAges<RealSync>.Now)),
                });
            }

            // What is read of work in flight stays until other work has come and gone there: a placeholder would count as work.
            if (positions.Count > 0 && !core.IsInFlight)
            {
                set.NoteRead(core);
            }
        }

        return rows;
    }

    /// <summary>What waits, in a word or two: the type of an item of the program's, or how it was given to the pool.</summary>
    public static string Describe(object item) => item switch
    {
        BoundedItem bounded => Describe(bounded.Item),
        HeldBackItem { Item: { } held } => Describe(held),
        ScheduledTask => nameof(Task),
        Task task => task.GetType().Name.Split('`')[0],
        IAsyncItem<RealSync> => "function",
        _ when item.GetType().Assembly == typeof(QueueRows).Assembly => "callback",
        _ => item.GetType().FullName ?? item.GetType().Name,
    };
}
