global using System.Data;
global using System.Data.Common;
global using AdaptivePool.Admission;
