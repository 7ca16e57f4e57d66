namespace AdaptivePool.Tests.ModelChecking;

/// <summary>What a thread has seen takes as much room as there are locations, however often it is taken over.</summary>
public sealed class ViewTests
{
    [Fact]
    public void Join_ToAndFro_DoesNotGrow()
    {
        var one = new View();
        var other = new View();
        See(one, 20);
        See(other, 9);
        for (int i = 0; i < 20; i++)
        {
            one.Join(other);
            other.Join(one);
        }

        one.Length.ShouldBe(32);
        other.Length.ShouldBe(32);
    }

    private static void See(View view, int id)
    {
        var location = new Location(id);
        location.Insert(0, new Message(1, null, view: null, isUpdate: false));
        view.See(location, location.Last);
    }
}
