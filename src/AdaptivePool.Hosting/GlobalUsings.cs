global using AdaptivePool.Hosting.Configuration;
global using AdaptivePool.Hosting.Requests;
global using Microsoft.Extensions.Options;
