using System.Reflection;
using System.Runtime.CompilerServices;

[assembly: AssemblyTitle("Haft")]
[assembly: AssemblyDescription("Tensors, automatic differentiation and training for .NET")]
[assembly: AssemblyVersion("1.0.0.0")]
[assembly: AssemblyFileVersion("1.0.0.0")]
[assembly: InternalsVisibleTo("HaftTests")]
