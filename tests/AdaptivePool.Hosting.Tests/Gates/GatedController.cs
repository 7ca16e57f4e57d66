using AdaptivePool.Admission;
using Microsoft.AspNetCore.Mvc;

namespace AdaptivePool.Hosting.Tests.Gates;

[ApiController]
[NonController]
[Route("gated")]
[RequireTransactionGate("bank")]
public sealed class GatedController : ControllerBase
{
    [HttpGet("normal")]
    public string? Normal() => HttpContext.Features.Get<TransactionLease>()?.Name;

    [HttpGet("admin")]
    [RequireTransactionGate("bank", Priority = TransactionPriority.Admin)]
    public bool Admin() => HttpContext.Features.Get<TransactionLease>()!.IsPrivileged;
}
