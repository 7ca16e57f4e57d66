using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace AdaptivePool.Tests.Architecture;

/// <summary>
/// Crossgen leaves a method out of the packages' machine code (ADR 58) where it reads or writes, through TSync, a reference to a type of another assembly. Such
/// a method is compiled without optimisation when an app first calls it, and stays so for seconds where there is one processor. On the way of an item there is
/// none.
/// </summary>
public sealed class MachineCodeTests
{
    /// <summary>Once in a thread's life or a lease's, or the sizing thread's.</summary>
    private static readonly string[] s_known = ["LeaseHold`1.Cancellation", "Worker`1.Run", "Worker`1.get_Thread"];

    [Fact]
    public void ReferencesToTypesOfOthers_AreNotReadThroughTSync_OnTheWayOfAnItem()
    {
        using var file = new PEReader(File.OpenRead(typeof(AdaptiveThreadPool).Assembly.Location));
        MetadataReader reader = file.GetMetadataReader();
        var found = new SortedSet<string>(StringComparer.Ordinal);
        foreach (MethodDefinition method in reader.MethodDefinitions.Select(reader.GetMethodDefinition))
        {
            TypeDefinition owner = reader.GetTypeDefinition(method.GetDeclaringType());
            if (method.RelativeVirtualAddress != 0 && Calls(file.GetMethodBody(method.RelativeVirtualAddress)).Any(call => IsLeftOut(reader, call)))
            {
                found.Add($"{reader.GetString(owner.Name)}.{reader.GetString(method.Name)}");
            }
        }

        found.ShouldBe(s_known);
    }

    // Tokens of generic methods that are called under a constraint: each stands after the code of the call, which follows that of the constraint.
    private static IEnumerable<MethodSpecificationHandle> Calls(MethodBodyBlock body)
    {
        byte[] code = body.GetILBytes() ?? [];
        for (int i = 0; i + 10 < code.Length; i++)
        {
            int token = BitConverter.ToInt32(code, i + 7);
            if (code[i] == 0xFE && code[i + 1] == 0x16 && code[i + 6] == (byte)ILOpCode.Call && token >>> 24 == (int)HandleKind.MethodSpecification)
            {
                yield return (MethodSpecificationHandle)MetadataTokens.EntityHandle(token);
            }
        }
    }

    private static bool IsLeftOut(MetadataReader reader, MethodSpecificationHandle call)
    {
        MethodSpecification method = reader.GetMethodSpecification(call);
        BlobReader signature = reader.GetBlobReader(method.Signature);
        signature.ReadSignatureHeader();
        signature.ReadCompressedInteger();
        SignatureTypeCode code = signature.ReadSignatureTypeCode();
        if (code == SignatureTypeCode.GenericTypeInstance)
        {
            code = signature.ReadSignatureTypeCode();
        }

        return code == SignatureTypeCode.TypeHandle && signature.ReadTypeHandle().Kind == HandleKind.TypeReference;
    }
}
