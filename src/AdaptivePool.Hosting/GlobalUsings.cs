global using AdaptivePool.Admission;
global using AdaptivePool.Hosting.Configuration;
global using AdaptivePool.Hosting.Requests;
global using Microsoft.AspNetCore.SignalR;
global using Microsoft.Extensions.Options;
global using System.Runtime.CompilerServices;
