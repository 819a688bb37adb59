using System.Reflection;
using System.Runtime.CompilerServices;

[assembly: AssemblyTitle("Haft")]
[assembly: AssemblyDescription("Tensors, automatic differentiation and training for .NET")]
[assembly: InternalsVisibleTo("HaftTests")]
