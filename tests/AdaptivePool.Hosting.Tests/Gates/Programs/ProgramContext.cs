using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata;

namespace AdaptivePool.Hosting.Tests.Gates.Programs;

internal sealed class ProgramContext(DbContextOptions<ProgramContext> options) : DbContext(options)
{
    /// <summary>Makes the tables.</summary>
    public const string Tables = """
        CREATE TABLE rows (id int PRIMARY KEY, owner int NOT NULL, value int NOT NULL, stamp int NOT NULL DEFAULT 5);
        CREATE TABLE parts (id int PRIMARY KEY, rowid int NOT NULL REFERENCES rows DEFERRABLE INITIALLY DEFERRED, value int NOT NULL);
        """;

    /// <summary>How many ids an owner has.</summary>
    public const int Ids = 1000;

    public DbSet<ProgramRow> Rows => Set<ProgramRow>();

    public DbSet<ProgramPart> Parts => Set<ProgramPart>();

    /// <summary>Fills the tables with three rows and their parts for each of the owners.</summary>
    public static string Reset(int owners) => $"""
        TRUNCATE rows, parts;
        INSERT INTO rows (id, owner, value) SELECT owner * {Ids} + n, owner, n FROM generate_series(0, {owners - 1}) AS owner, generate_series(1, 3) AS n;
        INSERT INTO parts (id, rowid, value) SELECT id * 2 + n, id, n FROM rows, generate_series(0, 1) AS n;
        """;

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.Entity<ProgramRow>().ToTable("rows").Property(static it => it.Id).ValueGeneratedNever();
        modelBuilder.Entity<ProgramRow>().Property(static it => it.Stamp).ValueGeneratedOnAdd();
        modelBuilder.Entity<ProgramRow>().HasMany(static it => it.Parts).WithOne().HasForeignKey(static it => it.RowId);
        modelBuilder.Entity<ProgramPart>().ToTable("parts").Property(static it => it.Id).ValueGeneratedNever();
        foreach (IMutableProperty property in modelBuilder.Model.GetEntityTypes().SelectMany(static type => type.GetProperties()))
        {
            property.SetColumnName(property.Name.ToLowerInvariant());
        }
    }
}
