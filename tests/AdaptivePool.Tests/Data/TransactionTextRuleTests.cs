using AdaptivePool.Admission;
using AdaptivePool.Data;

namespace AdaptivePool.Tests.Data;

public sealed class TransactionTextRuleTests
{
    [Theory]
    [InlineData("SELECT 1")]
    [InlineData("  select 1 ; ")]
    [InlineData("INSERT INTO t VALUES (1)")]
    [InlineData("update t set a = 1")]
    [InlineData("DELETE FROM t;")]
    [InlineData("WITH a AS (SELECT 1) SELECT * FROM a")]
    [InlineData("MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE")]
    [InlineData("values(1)")]
    [InlineData("")]
    [InlineData(" ; ")]
    public void Text_OfOneStatementOnRows_LeavesNothingOpen(string text) => TransactionTextRule.MayBegin(text).ShouldBeFalse();

    [Theory]
    [InlineData("BEGIN")]
    [InlineData("begin; lock table t")]
    [InlineData("START TRANSACTION")]
    [InlineData("SAVEPOINT s")]
    [InlineData("SET autocommit = 0")]
    [InlineData("/* SELECT */ BEGIN")]
    [InlineData("-- SELECT\nBEGIN")]
    [InlineData("(SELECT 1)")]
    [InlineData("SELECT 1; BEGIN")]
    [InlineData("SELECT 1 BEGIN TRAN")]
    [InlineData("SELECT 1 EXEC begins")]
    [InlineData("INSERT INTO t EXECUTE begins")]
    [InlineData("SELECT 1 SET IMPLICIT_TRANSACTIONS ON")]
    [InlineData("dbo.begins 1")]
    [InlineData("CALL begins()")]
    [InlineData("XA START 'a'")]
    [InlineData("selectx")]
    public void Text_OfAnythingElse_May(string text) => TransactionTextRule.MayBegin(text).ShouldBeTrue();
}
