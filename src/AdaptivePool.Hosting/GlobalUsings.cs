global using AdaptivePool.Hosting.Configuration;
global using AdaptivePool.Hosting.Requests;
global using Microsoft.Extensions.Options;
global using AdaptivePool.Admission;
global using System.Runtime.CompilerServices;
global using Microsoft.AspNetCore.SignalR;
