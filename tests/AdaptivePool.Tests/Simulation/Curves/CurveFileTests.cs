using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Tests.Simulation.Curves;

public sealed class CurveFileTests
{
    [Theory]
    [InlineData("threads,throughput|1,10|4,30.5")]
    [InlineData("1,10|4,30.5")]
    [InlineData("\uFEFFthreads , throughput|| 1 , 10 |4,30.5|")]
    public void Parse_WithAndWithoutHeader_GivesTheRows(string text)
        => CurveFile.Parse("a.csv", text.Split('|')).ShouldBe([(1, 10.0), (4, 30.5)]);

    [Theory]
    [InlineData("threads,throughput|1,10|4,many", "row 3", "'many'")]
    [InlineData("1,10|four,30", "row 2", "'four'")]
    [InlineData("1,x|4,30", "row 1", "'x'")]
    [InlineData("threads,throughput|threads,throughput|1,10", "row 2", "'threads'")]
    [InlineData("1,10|4,30|4,31", "row 3", "4 threads are already in row 2")]
    [InlineData("1,10||8,40|4,30", "row 4", "4 threads after 8 in row 3")]
    [InlineData("0,10|4,30", "row 1", "'0'")]
    [InlineData("-1,10|4,30", "row 1", "'-1'")]
    [InlineData("1.5,10|4,30", "row 1", "'1.5'")]
    [InlineData("1,10|4,-30", "row 2", "'-30'")]
    [InlineData("1,10|4,NaN", "row 2", "'NaN'")]
    [InlineData("1,10|4,Infinity", "row 2", "'Infinity'")]
    [InlineData("1,10|4", "row 2", "1 column")]
    [InlineData("1,10|4,30,2", "row 2", "3 column")]
    [InlineData("1;10|4;30", "row 2", "1 column")]
    [InlineData("threads,throughput|1,10", "1 row", "2 or more")]
    [InlineData("threads,throughput", "0 row", "2 or more")]
    [InlineData("1,0|4,0", "no row", "over zero")]
    public void Parse_NoCurve_SaysFileRowAndValue(string text, string place, string value)
    {
        string message = Should.Throw<CurveFormatException>(() => CurveFile.Parse("mine.csv", text.Split('|'))).Message;
        message.ShouldStartWith("mine.csv");
        message.ShouldContain(place);
        message.ShouldContain(value);
    }

    [Fact]
    public void Read_File_GivesACurveNamedAfterIt()
    {
        string folder = Directory.CreateTempSubdirectory().FullName;
        try
        {
            string path = Path.Combine(folder, "mine.csv");
            File.WriteAllText(path, "threads,throughput\n2,100\n10,500\n40,200\n");
            CostCurve curve = CurveFile.Read(path, CurveInterpolation.Linear);
            (curve.Name, curve.Best, curve.SmallestBestSize).ShouldBe(("mine", 500.0, 10));
            curve.Throughput(1).ShouldBe(50);
            curve.Throughput(6).ShouldBe(300);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public void Read_NoFile_SaysWhich()
        => Should.Throw<CurveFormatException>(() => CurveFile.Read("there-is-none.csv", CurveInterpolation.Linear)).Message.ShouldContain("there-is-none.csv");
}
