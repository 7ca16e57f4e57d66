global using AdaptivePool.Balancing;
global using Microsoft.AspNetCore.Http;
global using Yarp.ReverseProxy.Model;
