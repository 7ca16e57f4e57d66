global using AdaptivePool.Admission;
global using Microsoft.EntityFrameworkCore;
global using System.Data.Common;
