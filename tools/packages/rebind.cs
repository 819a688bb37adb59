// rebind.exe IN OUT FACADE: the assembly IN, which mono's compiler bound to mono's own mscorlib, System and
// System.Core, bound to netstandard instead, as every .NET knows it. FACADE is mono's netstandard.dll: a type that it does
// not have is an error.
using System;
using System.Collections.Generic;
using Mono.Cecil;

static class Program {
  static int Main(string[] arguments) {
    AssemblyDefinition assembly = AssemblyDefinition.ReadAssembly(arguments[0]), facade = AssemblyDefinition.ReadAssembly(arguments[2]);
    var known = new HashSet<string>();
    foreach (ExportedType t in facade.MainModule.ExportedTypes) known.Add(t.FullName);
    ModuleDefinition module = assembly.MainModule;
    var framework = new HashSet<string> { "mscorlib", "System", "System.Core" };
    var standard = new AssemblyNameReference("netstandard", facade.Name.Version) { PublicKeyToken = facade.Name.PublicKeyToken };
    module.AssemblyReferences.Add(standard);
    int missing = 0;
    foreach (TypeReference type in module.GetTypeReferences()) {
      if (type.DeclaringType != null || !framework.Contains(type.Scope.Name)) continue;
      if (!known.Contains(type.FullName)) {
        Console.Error.WriteLine("netstandard " + facade.Name.Version + " has no " + type.FullName);
        ++missing;
      }
      type.Scope = standard;
    }
    for (int i = module.AssemblyReferences.Count - 1; i >= 0; --i)
      if (framework.Contains(module.AssemblyReferences[i].Name)) module.AssemblyReferences.RemoveAt(i);
    assembly.SecurityDeclarations.Clear();  // a type of mscorlib by name, which only the .NET Framework reads
    if (missing == 0) assembly.Write(arguments[1]);
    return missing == 0 ? 0 : 1;
  }
}
