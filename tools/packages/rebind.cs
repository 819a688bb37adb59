// rebind.exe IN OUT FACADE SYMBOLS [PREFIX=NAME]...: the assembly IN, which mono's compiler bound to mono's own mscorlib, System and
// System.Core, bound to netstandard instead, as every .NET knows it; beside OUT its symbols as a portable PDB. FACADE is mono's
// netstandard.dll: a type that it does not have is an error. SYMBOLS are what mono's compiler wrote; a PREFIX of the sources' paths
// becomes NAME.
using System;
using System.Collections.Generic;
using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.CompilerServices.SymbolWriter;

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
    if (missing != 0) return 1;
    if (Lines(module, MonoSymbolFile.ReadSymbolFile(arguments[3]), arguments) == 0) {
      Console.Error.WriteLine(arguments[3] + " tells no line of any method");
      return 1;
    }
    assembly.Write(arguments[1], new WriterParameters { WriteSymbols = true, SymbolWriterProvider = new PortablePdbWriterProvider() });
    return 0;
  }

  // Gives every method the lines of its instructions; answers how many have some.
  static int Lines(ModuleDefinition module, MonoSymbolFile symbols, string[] arguments) {
    var documents = new Dictionary<string, Document>();
    int told = 0;
    foreach (MethodEntry entry in symbols.Methods) {
      var method = (MethodDefinition)module.LookupToken(entry.Token);
      if (method == null || !method.HasBody) continue;
      var at = new Dictionary<int, Instruction>();
      foreach (Instruction i in method.Body.Instructions) at[i.Offset] = i;
      string path = entry.CompileUnit.SourceFile.FileName;
      Document document;
      if (!documents.TryGetValue(path, out document)) {
        documents[path] = document = new Document(Named(path, arguments)) { Language = DocumentLanguage.CSharp, LanguageVendor = DocumentLanguageVendor.Microsoft,
                                                                         Type = DocumentType.Text };
      }
      foreach (LineNumberEntry line in entry.GetLineNumberTable().LineNumbers) {
        Instruction i;
        if (line.Row <= 0 || !at.TryGetValue(line.Offset, out i)) continue;
        int row = line.IsHidden ? 0xfeefee : line.Row;
        method.DebugInformation.SequencePoints.Add(new SequencePoint(i, document) { StartLine = row, EndLine = row, StartColumn = line.IsHidden ? 0 : 1,
                                                                                    EndColumn = line.IsHidden ? 0 : 1000 });
      }
      if (method.DebugInformation.HasSequencePoints) ++told;
    }
    return told;
  }

  static string Named(string path, string[] arguments) {
    for (int i = 4; i < arguments.Length; ++i) {
      int at = arguments[i].LastIndexOf('=');
      string prefix = arguments[i].Substring(0, at);
      if (path.StartsWith(prefix, StringComparison.Ordinal)) return arguments[i].Substring(at + 1) + path.Substring(prefix.Length);
    }
    return System.IO.Path.GetFileName(path);
  }
}
