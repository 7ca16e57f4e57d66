using AdaptivePool.Dispatch.Items;
using AdaptivePool.Dispatch.Queues;

namespace AdaptivePool.Diagnostics;

/// <summary>Lists the waiting items of a pool.</summary>
internal static class QueueRows
{
    /// <summary>
    /// Waiting items, class by class, for each priority in the order in which the queue of the class would return them. Work in flight comes first, as
    /// workers take it first. Items in a worker's own queue are missing, because only that worker can list them.
    /// </summary>
    /// <param name="set">The workers.</param>
    /// <param name="most">Maximum number of rows.</param>
    public static IReadOnlyList<QueuedItemSnapshot> Of(WorkerSet set, int most)
    {
        List<QueuedItemSnapshot> rows = [];

        // Reading costs memory, and only few of thousands of classes have work.
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

            // After a read of the queue of work in flight, its memory stays until other work has come and gone there: a placeholder would count as work.
            if (positions.Count > 0 && !core.IsInFlight)
            {
                set.NoteRead(core);
            }
        }

        return rows;
    }

    /// <summary>Describes a waiting item in a word or two: the type of an item of the program, or the way in which the pool got it.</summary>
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
