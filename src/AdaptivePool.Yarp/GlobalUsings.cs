global using AdaptivePool.Balancing;
global using Microsoft.AspNetCore.Http;
global using Microsoft.Extensions.Logging;
global using Yarp.ReverseProxy.Model;
