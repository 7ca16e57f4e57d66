using Microsoft.EntityFrameworkCore.Diagnostics;

namespace AdaptivePool.Hosting.Tests.Gates.Programs;

/// <summary>All that a provider of a database is asked for.</summary>
internal interface IProgramEvents : IDbTransactionInterceptor, IDbCommandInterceptor, IDbConnectionInterceptor;
